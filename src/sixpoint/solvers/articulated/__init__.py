"""Any articulated skeleton as tables: chains, trees, hands, and people in parts."""
