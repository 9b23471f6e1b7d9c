// A method that is pressed stands out in all curves; pressed again, all are equal.
for (const button of document.querySelectorAll(".chips button")) {
  button.addEventListener("click", () => {
    const root = document.documentElement;
    const name = root.dataset.focus === button.dataset.of ? "" : button.dataset.of;
    if (name) root.dataset.focus = name; else delete root.dataset.focus;
    for (const other of document.querySelectorAll(".chips button")) {
      other.setAttribute("aria-pressed", String(other.dataset.of === name));
    }
  });
}
