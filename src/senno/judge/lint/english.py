"""English."""

from __future__ import annotations

from senno.judge.lint.lexicon import Lexicon, listed, pattern, words

_AUXILIARY = "is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|must|may"
_SUBJECT = r"(?:it|they|he|she|there|this|that|these|those|the|a|an|any|each|every|its|their|his|her|\w*█\w*)"
_DETERMINER = (
    r"(?:a|an|the|any|some|each|every|its|their|his|her|it|them|him|this|that|these|those|to|how|why|what|whether|for|"
    r"with|no|all|at least|█+)"
)
_VERB = (
    "accept|acknowledge|add|address|admit|advise|allow|announce|answer|apologi[sz]e|argue|ask|assert|assume|attack|"
    "avoid|blame|break|call|change|cite|claim|close|compare|complain|confirm|contain|contradict|correct|decline|"
    "defend|define|delete|deny|describe|discuss|encourage|end|exclude|explain|express|follow|give|greet|guarantee|"
    "help|identify|ignore|imply|include|inform|insult|introduce|invite|list|make|mention|name|offer|omit|open|predict|"
    "present|promise|propose|prove|provide|quote|recommend|refer|refuse|reject|remove|repeat|report|request|require|"
    "respect|respond|reveal|say|sell|show|sign|solve|start|state|stay|suggest|support|take|tell|thank|threaten|"
    "translate|update|use|warn"
)
_ADJECTIVE = (
    r"(?:accurate|angry|broken|clean|cold|damaged|dirty|dry|heavy|hot|torn|wet|brief|calm|civil|clear|cold|complete|"
    r"concise|consistent|correct|current|dangerous|direct|easy|empty|exact|fair|false|formal|friendly|full|funny|"
    r"generic|good|happy|harmful|helpful|honest|important|kind|late|legal|long|loud|neutral|new|offensive|open|plain|"
    r"polite|positive|precise|private|professional|public|readable|relevant|respectful|right|rude|sad|safe|secure|"
    r"short|simple|sincere|spam|specific|strong|true|urgent|useful|valid|vague|warm|weak|well[- ]\w+|wrong|"
    r"\w{2,}(?:ful|ous|ible|able|istic)|up[- ]to[- ]date|in(?:accurate|complete|correct)|un\w{4,})"
)
_NUMBER = (
    r"(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|"
    r"(?:a )?hundred|(?:a )?thousand|half)"
)
_MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|"
    "thursday|friday|saturday|sunday"
)
_POINT = (
    rf"(?:date|day|deadline|expiry|expiration|renewal|due date|today|yesterday|tomorrow|{_MONTH}|(?:1[89]|20)\d\d|"
    r"started|began|ended|happened|occurred|expired|opened|closed|arrived|was \w+ed|were \w+ed)"
)

ENGLISH = Lexicon(
    code="en",
    two_questions=(
        pattern(rf"(?<!\w)(?:and(?: also)?|or|but(?: also)?) (?:{_AUXILIARY})(?:n't)? {_SUBJECT}(?!\w)"),
        pattern(rf"(?<!\w)(?:and(?: also|/or)?|as well as|but also) (?:then )?(?:{_VERB}) {_DETERMINER}(?!\w)"),
        pattern(
            rf"(?<!\w)(?:is|are|was|were|be|sound|seem|look)(?!\w)[^?.;]*?(?<!\w)(?:{_ADJECTIVE}|"
            rf"\w{{3,}}ed),? (?:and(?: also)?|but|as well as) (?:{_ADJECTIVE}|\w+ing(?= (?:for|to|that|about|an?|"
            rf"the)(?!\w))|\w{{3,}}ed(?=\s*(?:$|[?.,;])))"
            r"(?=\s*(?:$|[?.,;]|(?:for|to|in|of|with|about|an?|the|that|toward|towards|enough)(?!\w)))"
        ),
        pattern(r"(?<!\w)and (?:if|whether|why|how|who|when|where)(?!\w)"),
    ),
    relative=words("who", "which", "whose", "where", "when", "that"),
    counting=pattern(
        rf"(?<!\w)(?:how many|how much (?:is|does|did|was|money|time)|count (?:the|how|of)|tally|total (?:number|"
        rf"amount) of|sum of|(?:an?|the) average of|average (?:number|of)|what percentage|percentage of|calculate|"
        rf"compute the|adds? up to|exceeds? {_NUMBER}|(?:more|fewer|less|greater|longer|shorter|larger|higher|lower|"
        rf"older|younger) than (?:or equal to )?{_NUMBER}(?! of these)|(?:at least|at most|exactly|no (?:more|fewer|"
        rf"less) than|up to) {_NUMBER}|(?:{_NUMBER}(?<!two)) or (?:more|fewer|less)|{_NUMBER} times (?:as|more)|"
        rf"twice as (?:many|much))(?!\w)"
    ),
    dates=pattern(
        rf"(?<!\w)(?:(?:before|after|earlier than|later than|prior to|since|until|"
        rf"by)(?!\w)[^?.;,]{{0,50}}?(?<!\w){_POINT}|within (?:the (?:last|next|past) )?{_NUMBER} (?:days?|weeks?|"
        rf"months?|years?|hours?)|in the (?:last|past|next) (?:{_NUMBER} )?(?:days?|weeks?|months?|years?)|"
        rf"how (?:long|old|recent|many days)(?! is (?:the|it|this))|(?:days|weeks|months|years) (?:between|apart|"
        rf"since|until|ago)|(?:older|newer|younger) than|most recent|(?:earliest|latest|oldest|newest) (?:date|event|"
        rf"entry|version|message)|(?:is|has|was|been|already) (?:expired|overdue|outdated)|(?:came|comes|happened?|"
        rf"occurs?|occurred) (?:first|last|earlier|later)|chronologic\w*|in chronological order)(?!\w)"
    ),
    writing=words(
        "(?:please )?(?:explain|describe|summari[sz]e|paraphrase|rephrase|rewrite|translate|justify|elaborate)",
        "(?:please )?(?:write|draft|compose|generate|produce|create|provide|give|list|name|state|say|tell|return|"
        "extract) "
        "(?:me |us )?(?:a|an|the|all|every|your|why|how|what|which|some)",
    ),
    also_write=words(
        "(?:and|then|,) (?:then )?(?:please )?(?:explain|describe|justify|summari[sz]e|say|tell|state) (?:me |us )?"
        "(?:why|how|your|the reason|it|what|which)",
        "in your own words",
        "give (?:a|your) (?:reason|rationale|explanation)",
        "with (?:a|an|your) (?:explanation|justification|rationale)",
    ),
    open_question=words("what", "which", "who", "whom", "whose", "why", "how", "when", "where"),
    negation=words(
        "not",
        "never",
        "no",
        "none",
        "neither",
        "nor",
        "without",
        "cannot",
        "nobody",
        "nothing",
        "nowhere",
        "no one",
        r"\w+n't",
        "lack(?:s|ing|ed)?",
        "fail(?:s|ed|ing)? to",
        "free (?:of|from)",
        "devoid of",
        "absence of",
    ),
    not_negation=words("not only", "not just", "whether or not", "or not", "yes or no", "yes/no", r"no\.", "no matter"),
    concord=None,
    privative=words(
        "in(?:accurate|adequate|appropriate|complete|consistent|correct|eligible|sufficient|valid|visible|sincere)",
        "im(?:polite|possible|probable|proper|precise)",
        "ir(?:relevant|regular|responsible)",
        "il(?:legal|legible|logical)",
        "dis(?:honest|allowed|respectful|similar)",
        r"non-\w+",
        "un(?:able|acceptable|authori[sz]ed|available|aware|clear|fair|founded|intended|justified|kind|known|likely|"
        "necessary|delivered|paid|reasonable|related|reliable|safe|satisfied|supported|true|usual|verified|willing)",
    ),
    lacking=words(
        "absent",
        "avoid(?:s|ed)?",
        "delet(?:es?|ed|ing)",
        "drop(?:s|ped)?",
        "empty",
        "exclud\\w+",
        "hid(?:e|es|den)",
        "ignor\\w+",
        "left out",
        "leave(?:s)? out",
        "miss(?:es|ed|ing)?",
        "omit\\w*",
        "refus\\w+",
        "remov\\w+",
        "reject\\w*",
        "skip\\w*",
        "stop(?:s|ped)?",
        "silent\\w*",
        "alone",
        "only",
        "weaken\\w*",
        "less",
        "fewer",
        "contradict\\w*",
        "den(?:y|ies|ied)",
        "differ\\w*",
        "vague\\w*",
        "generic\\w*",
        "break\\w*",
        "beyond",
        r"\w+less",
    ),
    vague=words(
        "good(?! faith| practices?| friday| morning| afternoon| evening| night)",
        "bad(?! faith)",
        "nice",
        "great",
        "better",
        "best",
        "poor",
        "appropriate(?:ly)?",
        "suitable",
        "relevant",
        "important",
        "significant",
        "proper(?:ly)?",
        "reasonable",
        "acceptable",
        "satisfactory",
        "solid",
        "sufficient(?:ly)?",
        "adequate(?:ly)?",
        "meaningful",
        "problematic",
        "interesting",
        "high[- ]quality",
        "quality",
        "effective",
        "well[- ]written",
        "useful",
        "helpful",
        "professional",
        "strong",
    ),
    indirection=pattern(
        r"(?<!\w)(?:(?:mentioned|described|listed|stated|given|named|referred to|cited|discussed) (?:above|below|"
        r"before|earlier|previously|therein)|(?:above|afore|before|previously)[- ]?mentioned|the (?:former|latter)|"
        r"the \w+ of the \w+ of the|whoever|indirectly|transitively|the (?:one|ones) (?:that|which|"
        r"who) \w+ (?:refers?|points?|belongs?) to|(?:refers?|points?) to (?:the one|whatever)|"
        r"if [^?.;]{1,60} then [^?.;]{1,60} if)(?!\w)"
    ),
    other_question=pattern(
        r"(?<!\w)(?:(?<!his )(?<!her )(?<!my )(?<!their )(?:previous|preceding|earlier) questions?|questions? (?:\d+|"
        r"above|below|one|two|three)|(?:your )?answers? (?:to|of) (?:the )?(?:question|previous|above|q\d)|"
        r"your answers? to)(?!\w)"
    ),
    declares_data=pattern(
        r"(?:\bdata\b|\buntrusted\b|\bnever\b|\bnot\b|\bignore\b|\bonly\b).{0,80}\b(?:instructions?|orders?|commands?|"
        r"data)\b|\b(?:instructions?|orders?|commands?)\b.{0,60}\b(?:ignored?|never|not|untrusted|data)\b"
    ),
    says_no=pattern(r"^\W*(?:no|false|absent|not present|negative)(?=\s*(?:$|[,.:;!–—-]))"),
    says_yes=pattern(r"^\W*(?:yes|true|present|positive)(?=\s*(?:$|[,.:;!–—-]))"),
    stop_words=listed(
        "a about above after all also an and another any anything are as ask asks at be because been before being "
        "below between both but by can cannot case cases boundary could did do does doing example examples either "
        "else every for from further had has have having he her here his how if in into is it its itself just may "
        "merely more most must no not nothing of off on one once only or other others our out over own part plain "
        "plainly same say says she should so some something such text than that the their them then there these they "
        "thing things this those through to too under until up very was we were what when where which while who whom "
        "whose why will with without would yes you your message answer reply document article review file state "
        "question give gives given make makes made get gets contain contains include includes"
    ),
)
