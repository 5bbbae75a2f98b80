"""The English words that secrets are told by, and words that are never one.

A word list is data: a second language brings its own.
"""

from __future__ import annotations

PASSWORDS = (
    "password", "passwort", "passwd", "pwd", "passcode", "pass code", "passphrase", "pass phrase",
    "passkey", "pass key", "PIN", "PUK", "code word", "codeword", "safe word", "secret word",
)  # fmt: skip
"""What follows one of these is a secret, of several words too."""
SECRETS = (
    "code", "secret", "key", "token", "login", "log-in", "username", "user name", "user id",
    "userid",
)  # fmt: skip
"""What follows one of these is a secret where it is one word."""
HEADS = ("number", "code", "name", "word", "phrase", "combination", "value", "id")
"""A word for the secret that may follow it: PIN code, login name."""
PREPOSITIONS = ("for", "of", "to", "at", "on", "in", "from", "with", "into", "by", "there", "here")
COPULAS = (
    "is", "was", "are", "were", "will be", "has been", "becomes", "became", "remains", "reads",
    "equals", "should be", "must be",
)  # fmt: skip
LEADS = (
    "now", "still", "currently", "simply", "just", "actually", "really", "definitely", "always",
    "called", "set to", "changed to", "the word", "the phrase", "the number", "again", "going to be",
)  # fmt: skip
"""What may stand between "is" and the secret."""
CHANGES = (
    "change", "changed", "changing", "set", "reset", "update", "updated", "switch", "switched",
    "make", "turn", "correct", "rename", "renamed",
)  # fmt: skip

PREDICATES = frozenset(
    """
    able about above absent accepted active affected afraid after against all alive allowed alone
    already also always among an and another any around as asked at available awful back bad based
    because been before behind being below best better between beyond big blank blocked both bound
    broken busy by cached case changed changing cheap clean clear close closed committed common
    compiled complete complex complicated compromised confidential confirmed correct corrupted
    covered critical current dead declined default deleted deprecated different difficult dirty
    disabled done down due duplicated each easy either empty enabled encrypted enough essential
    even every everywhere exactly exposed expired expiring false fast faulty fine finished first
    fixed for formatted forgotten found free fresh from full gone good great guessable handy hard
    hashed here hidden hopeless how huge identical ignored important impossible in inactive
    incorrect inside insecure into intact invalid it its itself known large last late lacking leaked
    legacy less like little local locked long longer lost low lowercase mandatory maybe mine
    missing more most much my necessary needed neither never new next nice no none nonsense not
    nothing now null obsolete obvious of off ok okay old on once one only open optional or
    other our ours out outdated over pending perfect permanent personal physical pinned plain
    poor possible powerful predictable present pretty private protected public quite quoted random rather
    readable ready real really recent redacted rejected required reset reviewed revoked right rotated
    running safe same saved secret secure selected sensitive set shared short simple since slow small so
    solid some somewhere soon special stale standard static still stolen stored strict strong such
    temporary terrible than that the their them there these they this those through to together
    too trivial true tricky ugly unavailable unchanged under undefined unique unknown unset
    unused up updated uppercase used useful useless valid very visible vital vulnerable waiting
    weak well what when where which while who why wide with within without working worthless
    written wrong yet you your yours
    a i he she we his her are is was were be do does did has have had can could may might must
    shall should will would something anything everything someone anyone sure trouble
    """.split()  # noqa: SIM905
)
"""Words that say how a secret is and not what it is: "my password is wrong"."""
OPENINGS = frozenset(
    """
    a about above after against all among an another any around as asked at because before behind
    being below between beyond both by each either enough every for from how in into it its itself
    mine my neither never no none not nothing of off on once one only or other our ours out over
    so some something somewhere such than that the their them there these they this those through
    to too under very what when where which while who why with within without yet you your yours
    i he she we his her are is was were be been do does did has have had can could may might must shall
    should will would anything everything someone anyone longer going
    """.split()  # noqa: SIM905
)
"""Words that no secret of several words begins with."""
