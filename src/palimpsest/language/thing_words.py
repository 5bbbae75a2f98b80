"""The English words for what a statement is about, which are never its value.

"Password is hunter2", "My Hotel is the Ritz": the first noun names the kind of fact. A word
list is data: a second language brings its own.
"""

from __future__ import annotations

THINGS = frozenset(
    """
    account accounts address age agenda airline airport alarm alias allergy amount anniversary
    answer apartment app appointment area arrival article assistant attendee author badge balance
    bank banker base birthday blood board bonus boss branch brand breakfast bridge brother budget
    building bus business cabin camera capital car card cat category cell centre center chair
    channel charge charger child children church city class client clinic clock closing code codename
    codeword colleague color colour command company competitor computer conference contact contract
    cost country course cousin credential credentials credit currency customer dad data database
    date dates daughter day deadline debt default delivery dentist departure deposit desk
    destination device diet dinner directory discount distance district doctor document dog
    domain door drink driver due duration editor employee employer end engine entrance entry
    error estimate evening event exam exit expiry extension fare father favourite favorite fee
    file flat flavour flavor flight floor folder food friend friends game garage gate gender gift
    goal grade group guest guide gym half handle head heading height hobby holiday home host
    hostname hotel hour hours house husband id identifier income industry insurance interest
    interview invoice issue item itinerary job journey key keyword keyphrase kid kids kitchen label
    landlord language laptop launch lawyer leader lease length lesson level library licence license
    limit line link list loan location lock locker login logo lunch machine mail mailbox manager
    maiden map market mascot max maximum meal medication medicine meeting member membership memo
    menu message middle milestone min minimum mobile model money month mood morning mortgage mother
    motto mum mom music name neighbour neighbor network nickname night nickname node note
    notebook number nurse occupation office offer opening option organisation organization origin
    owner package page pager parcel parking parents part partner party passcode passkey passphrase
    passport password passwords patient pay payment pension person pet phone phrase pickup place
    plan plane plate platform plot pointer policy pool port position post postcode preference
    presentation president price pricing priority prize problem process product profession
    professor profile profit program project property provider pseudonym purchase purpose quantity
    question queue quota rank rate rating reason receipt recipe reference region release relative
    rent rental report repository request reservation residence restaurant result retrospective
    return revenue review reward room roommate rota route router rule salary sale sales savings
    schedule school score screen season seat seating secret section sender series server service session
    shift shop shoe shoes sister site size skill software son song source speaker spouse stage
    stand standup start state station status step storage store street student style subject
    subscription sum summary supervisor supplier surname surgery symptom system table target task
    tax teacher telephone template temperature tenant term terms test theme ticket time title
    token topic total tour town train training transfer travel treatment trip tutor type uncle
    unit university username user username value vehicle vendor venue version victim video view
    visa visit volume wage wallet warehouse wedding week weekday weekend weight width wife wifi
    window winner word work worker workshop workspace year zone
    """.split()  # noqa: SIM905
)
"""Nouns for a kind of fact, in lower case and without hyphens."""
