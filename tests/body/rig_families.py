"""One rig of every family of joint names, in the words of `rig_text`."""

from __future__ import annotations

import re

MIXAMO = """
pelvis=Hips > Spine > Spine1 > Spine2 > Neck > head=Head > HeadTop_End
Spine2 > clavicle={Left}Shoulder > shoulder={Left}Arm > elbow={Left}ForeArm > wrist={Left}Hand
{Left}Hand > {Left}HandThumb1 > {Left}HandThumb2
{Left}Hand > {Left}HandIndex1 > {Left}HandIndex2
Hips > hip={Left}UpLeg > knee={Left}Leg > ankle={Left}Foot > {Left}ToeBase > {Left}Toe_End
"""

CMU_BVH = """
pelvis=Hips > LowerBack > Spine > Spine1 > Neck > Neck1 > head=Head > ~Head end
Hips > {L}HipJoint > hip={Left}UpLeg > knee={Left}Leg > ankle={Left}Foot > {Left}ToeBase
Spine1 > clavicle={Left}Shoulder > shoulder={Left}Arm > elbow={Left}ForeArm > {Left}Hand
{Left}Hand > wrist={Left}FingerBase > {Left}HandIndex1
{Left}Hand > {L}Thumb
"""

BIPED = """
Bip01 > pelvis=Bip01 Pelvis > Bip01 Spine > Bip01 Spine1 > Bip01 Neck > head=Bip01 Head
Bip01 Neck > clavicle=Bip01 {L} Clavicle > shoulder=Bip01 {L} UpperArm > elbow=Bip01 {L} Forearm
Bip01 {L} Forearm > wrist=Bip01 {L} Hand > Bip01 {L} Finger0
Bip01 Pelvis > hip=Bip01 {L} Thigh > knee=Bip01 {L} Calf > ankle=Bip01 {L} Foot > Bip01 {L} Toe0
"""

RIGS: dict[str, tuple[str, str]] = {
    "H-Anim 1": (
        "hanim",
        """
        pelvis=HumanoidRoot > vl5 > vl1 > vt10 > vt6 > vt1 > vc4 > head=skullbase
        vt1 > clavicle={l}_sternoclavicular > {l}_acromioclavicular > shoulder={l}_shoulder
        {l}_shoulder > elbow={l}_elbow > wrist={l}_wrist > {l}_thumb1
        HumanoidRoot > sacroiliac
        sacroiliac > hip={l}_hip > knee={l}_knee > ankle={l}_ankle > {l}_subtalar > {l}_midtarsal
        """,
    ),
    "H-Anim 2": (
        "hanim",
        """
        pelvis=humanoid_root > vl5 > vt1 > vc4 > head=skullbase
        vt1 > clavicle={l}_sternoclavicular > {l}_acromioclavicular > shoulder={l}_shoulder
        {l}_shoulder > elbow={l}_elbow > wrist={l}_radiocarpal > {l}_carpometacarpal_1
        humanoid_root > sacroiliac
        sacroiliac > hip={l}_hip > knee={l}_knee > ankle={l}_talocrural
        """,
    ),
    "H-Anim level 1 (no clavicles)": (
        "hanim",
        """
        pelvis=HumanoidRoot > vl5 > head=skullbase
        vl5 > shoulder={l}_shoulder > elbow={l}_elbow > wrist={l}_wrist
        HumanoidRoot > sacroiliac
        sacroiliac > hip={l}_hip > knee={l}_knee > ankle={l}_ankle
        """,
    ),
    "CMU BVH (the hand is a forearm twist)": ("cmu-bvh", CMU_BVH),
    "CMU ASF (the wrist is a forearm twist)": (
        "cmu-asf",
        """
        pelvis=root > lowerback > upperback > thorax > lowerneck > upperneck > head=head
        root > {l}hipjoint > hip={l}femur > knee={l}tibia > ankle={l}foot > {l}toes
        thorax > clavicle={l}clavicle > shoulder={l}humerus > elbow={l}radius > {l}wrist
        {l}wrist > wrist={l}hand > {l}fingers
        {l}wrist > {l}thumb
        """,
    ),
    "Mixamo": ("motionbuilder", MIXAMO),
    "MotionBuilder with roll joints": (
        "motionbuilder",
        """
        Reference > pelvis=Hips > Spine > Neck > head=Head
        Spine > clavicle={Left}Shoulder > shoulder={Left}Arm > {Left}ArmRoll > elbow={Left}ForeArm
        {Left}ForeArm > {Left}ForeArmRoll > wrist={Left}Hand
        Hips > hip={Left}UpLeg > {Left}UpLegRoll > knee={Left}Leg > {Left}LegRoll > ankle={Left}Foot
        """,
    ),
    "ACCAD": (
        "motionbuilder",
        """
        pelvis=Hips > ToSpine > Spine > Spine1 > Neck > head=Head
        Spine1 > clavicle={Left}Shoulder > shoulder={Left}Arm > elbow={Left}ForeArm
        {Left}ForeArm > wrist={Left}Hand
        Hips > hip={Left}UpLeg > knee={Left}Leg > ankle={Left}Foot > {Left}ToeBase
        """,
    ),
    "VRM 1": (
        "unity",
        """
        pelvis=hips > spine > chest > upperChest > neck > head=head > leftEye
        upperChest > clavicle={left}Shoulder > shoulder={left}UpperArm > elbow={left}LowerArm
        {left}LowerArm > wrist={left}Hand > {left}ThumbMetacarpal
        hips > hip={left}UpperLeg > knee={left}LowerLeg > ankle={left}Foot > {left}Toes
        """,
    ),
    "Unity": (
        "unity",
        """
        pelvis=Hips > Spine > Chest > Neck > head=Head > Jaw
        Chest > clavicle={Left}Shoulder > shoulder={Left}UpperArm > elbow={Left}LowerArm
        {Left}LowerArm > wrist={Left}Hand
        Hips > hip={Left}UpperLeg > knee={Left}LowerLeg > ankle={Left}Foot > {Left}Toes
        """,
    ),
    "VRoid": (
        "unity",
        """
        Root > pelvis=J_Bip_C_Hips > J_Bip_C_Spine > J_Bip_C_Chest > J_Bip_C_Neck
        J_Bip_C_Neck > head=J_Bip_C_Head
        J_Bip_C_Chest > clavicle=J_Bip_{L}_Shoulder > shoulder=J_Bip_{L}_UpperArm
        J_Bip_{L}_UpperArm > elbow=J_Bip_{L}_LowerArm > wrist=J_Bip_{L}_Hand
        J_Bip_C_Hips > hip=J_Bip_{L}_UpperLeg > knee=J_Bip_{L}_LowerLeg > ankle=J_Bip_{L}_Foot
        J_Bip_C_Chest > J_Sec_{L}_Bust1
        """,
    ),
    "Bandai-Namco (the pelvis is not the root)": (
        "unity",
        """
        joint_Root > pelvis=Hips > Spine > Chest > Neck > head=Head
        Chest > clavicle=Shoulder_{L} > shoulder=UpperArm_{L} > elbow=LowerArm_{L} > wrist=Hand_{L}
        Hips > hip=UpperLeg_{L} > knee=LowerLeg_{L} > ankle=Foot_{L} > Toes_{L}
        """,
    ),
    "Xsens (Shoulder is the collar)": (
        "xsens",
        """
        pelvis=Pelvis > L5 > L3 > T12 > T8 > Neck > head=Head
        T8 > clavicle={Left}Shoulder > shoulder={Left}UpperArm > elbow={Left}ForeArm
        {Left}ForeArm > wrist={Left}Hand
        Pelvis > hip={Left}UpperLeg > knee={Left}LowerLeg > ankle={Left}Foot > {Left}Toe
        """,
    ),
    "Xsens by UPC (no head joint)": (
        "biovision",
        """
        pelvis=root > lowerback > upperback > chest > lowerneck > head=upperneck > ~upperneck end
        chest > clavicle={l}clavicle > shoulder={l}shoulder > elbow={l}elbow > wrist={l}wrist
        root > hip={l}hip > knee={l}knee > ankle={l}ankle > {l}toe
        """,
    ),
    "Biovision (Shoulder is the upper arm)": (
        "biovision",
        """
        pelvis=Hips > Chest > Chest2 > Neck > head=Head
        Chest2 > clavicle={Left}Collar > shoulder={Left}Shoulder > elbow={Left}Elbow
        {Left}Elbow > wrist={Left}Wrist
        Hips > hip={Left}Hip > knee={Left}Knee > ankle={Left}Ankle > {Left}Toe
        """,
    ),
    "Biovision, segments": (
        "biovision",
        """
        pelvis=Hips > Chest > Neck > head=Head
        Chest > clavicle={Left}Collar > shoulder={Left}UpArm > elbow={Left}LowArm > wrist={Left}Hand
        Hips > hip={Left}UpLeg > knee={Left}LowLeg > ankle={Left}Foot
        """,
    ),
    "SMPL": (
        "biovision",
        """
        pelvis=Pelvis > Spine1 > Spine2 > Spine3 > Neck > head=Head
        Spine3 > clavicle={L}_Collar > shoulder={L}_Shoulder > elbow={L}_Elbow > wrist={L}_Wrist
        {L}_Wrist > {L}_Hand
        Pelvis > hip={L}_Hip > knee={L}_Knee > ankle={L}_Ankle > {L}_Foot
        """,
    ),
    "SMPL in a file": (
        "biovision",
        """
        root > pelvis=m_avg_Pelvis > m_avg_Spine1 > m_avg_Neck > head=m_avg_Head
        m_avg_Spine1 > clavicle=m_avg_{L}_Collar > shoulder=m_avg_{L}_Shoulder
        m_avg_{L}_Shoulder > elbow=m_avg_{L}_Elbow > wrist=m_avg_{L}_Wrist > m_avg_{L}_Hand
        m_avg_Pelvis > hip=m_avg_{L}_Hip > knee=m_avg_{L}_Knee > ankle=m_avg_{L}_Ankle
        """,
    ),
    "SMPL in snake case": (
        "biovision",
        """
        pelvis=pelvis > spine1 > spine2 > spine3 > neck > head=head
        spine3 > clavicle={left}_collar > shoulder={left}_shoulder > elbow={left}_elbow
        {left}_elbow > wrist={left}_wrist > {left}_hand
        pelvis > hip={Left}_hip > knee={left}_knee > ankle={left}_ankle > {left}_foot
        """,
    ),
    "Kinect": (
        "biovision",
        """
        pelvis=PELVIS > SPINE_NAVEL > SPINE_CHEST > NECK > head=HEAD
        SPINE_CHEST > clavicle=CLAVICLE_{L} > shoulder=SHOULDER_{L} > elbow=ELBOW_{L}
        ELBOW_{L} > wrist=WRIST_{L} > HAND_{L}
        PELVIS > hip=HIP_{L} > knee=KNEE_{L} > ankle=ANKLE_{L} > FOOT_{L}
        """,
    ),
    "Blender, arms end in a site": (
        "blender",
        """
        pelvis=pelvis > spine > spine.001 > neck > head=face > ~face end
        spine.001 > clavicle=shoulder.{L} > shoulder=upper_arm.{L} > elbow=forearm.{L}
        forearm.{L} > ~wrist=forearm.{L} end
        pelvis > pelvis.{L} > ~pelvis.{L} end
        pelvis > hip=thigh.{L} > knee=shin.{L} > ankle=foot.{L} > ~foot.{L} end
        """,
    ),
    "Rigify": (
        "blender",
        """
        root > pelvis=DEF-spine > DEF-spine.001 > DEF-spine.002 > DEF-spine.003 > DEF-spine.004
        DEF-spine.004 > DEF-spine.005 > head=DEF-spine.006 > DEF-jaw
        DEF-spine.003 > clavicle=DEF-shoulder.{L} > shoulder=DEF-upper_arm.{L}
        DEF-upper_arm.{L} > DEF-upper_arm.{L}.001 > elbow=DEF-forearm.{L} > DEF-forearm.{L}.001
        DEF-forearm.{L}.001 > wrist=DEF-hand.{L} > DEF-f_index.01.{L}
        DEF-spine > DEF-pelvis.{L}
        DEF-spine > hip=DEF-thigh.{L} > DEF-thigh.{L}.001 > knee=DEF-shin.{L} > DEF-shin.{L}.001
        DEF-shin.{L}.001 > ankle=DEF-foot.{L} > DEF-toe.{L}
        """,
    ),
    "Rigify metarig, underscores": (
        "blender",
        """
        pelvis=spine > spine_001 > spine_003 > spine_004 > head=spine_006 > face
        spine_003 > clavicle=shoulder_{L} > shoulder=upper_arm_{L} > elbow=forearm_{L}
        forearm_{L} > wrist=hand_{L}
        spine > hip=thigh_{L} > knee=shin_{L} > ankle=foot_{L} > toe_{L}
        """,
    ),
    "3ds Max Biped": ("biped", BIPED),
    "3ds Max Biped, underscores": ("biped", re.sub(r"Bip01 (?!>)", "Bip001_", BIPED)),
    "3ds Max Biped, legs below the spine": (
        "biped",
        """
        Bip01 > Bip01 Pelvis > pelvis=Bip01 Spine > Bip01 Spine1 > Bip01 Neck > head=Bip01 Head
        Bip01 Neck > clavicle=Bip01 {L} Clavicle > shoulder=Bip01 {L} UpperArm
        Bip01 {L} UpperArm > elbow=Bip01 {L} Forearm > wrist=Bip01 {L} Hand
        Bip01 Spine > hip=Bip01 {L} Thigh > knee=Bip01 {L} Calf > ankle=Bip01 {L} Foot
        """,
    ),
    "iClone (hip above pelvis and waist)": (
        "biped",
        """
        RL_BoneRoot > pelvis=CC_Base_Hip > CC_Base_Waist > CC_Base_Spine01 > CC_Base_Spine02
        CC_Base_Spine02 > CC_Base_NeckTwist01 > CC_Base_NeckTwist02 > head=CC_Base_Head
        CC_Base_Spine02 > clavicle=CC_Base_{L}_Clavicle > shoulder=CC_Base_{L}_Upperarm
        CC_Base_{L}_Upperarm > CC_Base_{L}_UpperarmTwist01
        CC_Base_{L}_Upperarm > elbow=CC_Base_{L}_Forearm > CC_Base_{L}_ForearmTwist01
        CC_Base_{L}_Forearm > wrist=CC_Base_{L}_Hand > CC_Base_{L}_Mid1
        CC_Base_Hip > CC_Base_Pelvis
        CC_Base_Pelvis > hip=CC_Base_{L}_Thigh > knee=CC_Base_{L}_Calf > ankle=CC_Base_{L}_Foot
        """,
    ),
    "Unreal (twist joints are leaves)": (
        "unreal",
        """
        root > pelvis=pelvis > spine_01 > spine_02 > spine_03 > neck_01 > head=head
        spine_03 > clavicle=clavicle_{l} > shoulder=upperarm_{l} > upperarm_twist_01_{l}
        upperarm_{l} > elbow=lowerarm_{l} > lowerarm_twist_01_{l}
        lowerarm_{l} > wrist=hand_{l} > index_01_{l}
        pelvis > hip=thigh_{l} > thigh_twist_01_{l}
        thigh_{l} > knee=calf_{l} > ankle=foot_{l} > ball_{l}
        root > ik_foot_root > ik_foot_{l}
        """,
    ),
    "Poser": (
        "poser",
        """
        pelvis=hip > abdomen > chest > neck > head=head > leftEye
        chest > clavicle={l}Collar > shoulder={l}Shldr > elbow={l}ForeArm > wrist={l}Hand > {l}Mid1
        hip > {l}Buttock > hip={l}Thigh > knee={l}Shin > ankle={l}Foot
        """,
    ),
    "Daz Genesis": (
        "poser",
        """
        pelvis=hip > abdomenLower > chestLower > chestUpper > neckLower > neckUpper > head=head
        chestUpper > clavicle={l}Collar > shoulder={l}ShldrBend > {l}ShldrTwist
        {l}ShldrTwist > elbow={l}ForearmBend > {l}ForearmTwist > wrist={l}Hand
        hip > pelvis
        pelvis > hip={l}ThighBend > {l}ThighTwist > knee={l}Shin > ankle={l}Foot > {l}Metatarsals
        """,
    ),
    "MakeHuman with helpers": (
        "makehuman",
        """
        pelvis=Root > Spine1 > Spine2 > Spine3 > Neck > head=Head > __Jaw > Jaw
        Spine3 > __Clavicle_{L} > clavicle=Clavicle_{L} > shoulder=UpArm_{L} > elbow=LoArm_{L}
        LoArm_{L} > wrist=Hand_{L}
        Root > Hips > __UpLeg_{L} > hip=UpLeg_{L} > knee=LoLeg_{L} > ankle=Foot_{L} > Toe_{L}
        """,
    ),
    "MakeHuman, default": (
        "makehuman",
        """
        pelvis=root > spine05 > spine01 > neck01 > neck02 > neck03 > head=head > jaw
        spine01 > clavicle=clavicle.{L} > shoulder01.{L} > shoulder=upperarm01.{L} > upperarm02.{L}
        upperarm02.{L} > elbow=lowerarm01.{L} > lowerarm02.{L} > wrist=wrist.{L} > finger1-1.{L}
        root > pelvis.{L} > hip=upperleg01.{L} > upperleg02.{L} > knee=lowerleg01.{L}
        lowerleg01.{L} > lowerleg02.{L} > ankle=foot.{L} > toe1-1.{L}
        """,
    ),
    "OptiTrack Motive": (
        "motive",
        """
        pelvis=Hip > Ab > Chest > Neck > head=Head
        Chest > clavicle={L}Shoulder > shoulder={L}UArm > elbow={L}FArm > wrist={L}Hand > {L}Thumb1
        Hip > hip={L}Thigh > knee={L}Shin > ankle={L}Foot > {L}Toe
        """,
    ),
    "endorphin": (
        "endorphin",
        """
        pelvis=root > LowerSpineJoint_dum > LowerSpineJoint > UpperSpineJoint > LowerNeckJoint_dum
        LowerNeckJoint_dum > LowerNeckJoint > head=UpperNeckJoint
        UpperSpineJoint > {Left}ClavicleJoint_dum > clavicle={Left}ClavicleJoint
        {Left}ClavicleJoint > shoulder={Left}ShoulderJoint > elbow={Left}ElbowJoint
        {Left}ElbowJoint > {Left}ForearmTwistJoint > wrist={Left}WristJoint > {Left}FingersJoint
        root > {Left}HipJoint_dum > hip={Left}HipJoint > knee={Left}KneeJoint
        {Left}KneeJoint > ankle={Left}AnkleJoint
        """,
    ),
    "several families in one rig": (
        "mixed",
        """
        pelvis=Hip > Spine1 > Neck > head=Head
        Spine1 > clavicle={Left}Clavicle > shoulder={Left}Arm > elbow={Left}Elbow > wrist={Left}Hand
        Hip > hip={Left}Thigh > knee={Left}Shin > ankle={Left}Foot
        """,
    ),
    "limbs and neck end in sites": (
        "motionbuilder",
        """
        pelvis=Hips > Spine > Neck > ~head=Neck end
        Spine > shoulder={Left}Arm > elbow={Left}ForeArm > ~wrist={Left}ForeArm end
        Hips > hip={Left}UpLeg > knee={Left}Leg > ~ankle={Left}Leg end
        """,
    ),
}
