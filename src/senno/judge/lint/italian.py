"""Italian, with its inflections, elided articles (dell', un') and negative concord (non … mai is one negation)."""

from __future__ import annotations

from senno.judge.lint.lexicon import Lexicon, listed, pattern, words

_VERB = (
    "accetta|accusa|afferma|aggiunge|allega|ammette|annuncia|apre|attacca|avverte|chiarisce|chiede|chiude|cita|"
    "comincia|comunica|consiglia|contesta|contiene|contraddice|contribuisce|dà|definisce|descrive|dice|dichiara|"
    "difende|dimostra|elenca|esclude|esprime|evita|fa|fornisce|garantisce|giustifica|ha|hanno|ignora|implica|include|"
    "incoraggia|indica|informa|insulta|introduce|invita|mantiene|menziona|mette|minaccia|mostra|nasconde|nega|nomina|"
    "offende|offre|omette|parla|presenta|prevede|promette|propone|può|raccomanda|rassicura|ribadisce|richiama|ricorda|"
    "riferisce|rifiuta|rimanda|rimuove|ringrazia|riporta|rispetta|risponde|risolve|rivela|saluta|scredita|segnala|"
    "segue|sembra|smentisce|sostiene|specifica|spiega|suggerisce|tratta|usa|utilizza|viene|vieta|viola|è|sono|era|"
    "erano|contengono|offrono|rispondono|indicano|citano|chiedono|spiegano"
)
_VERB_OR_NOUN = (
    "conferma|modifica|prova|nota|firma|domanda|corregge|critica|cambia|critica|scusa|si scusa|si rivolge|si presenta"
)
_ARTICLE = r"(?:il|lo|la|i|gli|le|un|uno|una|l'|un'|del|dello|della|dei|degli|delle|che|se|di|a|al|alla|ai|█+)"
_ADJECTIVE = (
    r"(?:(?:accurat|aggiornat|breve?|cald|chiar|complet|corrett|cort|dirett|esatt|fredd|gentil|giust|ingiust|lung|mit|"
    r"neutr|nuov|onest|precis|pubblic|privat|rozz|serv|sicur|sincer|sbagliat|specific|ver|falso|fals|sgarbat|educat|"
    r"maleducat|sintetic|tecnic|vag|arrabbiat|calm|cortes|urgent|util|inutil|leggibil|pertinent|coerent|efficac|"
    r"semplic|formal|informal|cordial|ostil|professional|ufficial|legal|original|rispettos|offensiv|positiv|negativ|"
    r"valid|pulit|prudent|cautel)(?:o|a|i|e|hi|he)|\w{3,}(?:os|iv|evol|ibil|abil)(?:o|a|i|e))"
)
_NUMBER = (
    r"(?:\d[\d.,]*|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|quindici|venti|trenta|quaranta|"
    r"cinquanta|cento|mille|la metà)"
)
_MONTH = (
    "gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre|lunedì|martedì|"
    "mercoledì|giovedì|venerdì|sabato|domenica"
)
_POINT = (
    rf"(?:data|date|giorno|scadenza|scadenze|termine|oggi|ieri|domani|{_MONTH}|(?:1[89]|20)\d\d|"
    r"inizi\w{1,5}|cominci\w{1,5}|termin(?:ato|ata|asse|ò)|avvenut[oaie]|accadut[oaie]|scadut[oaie]|fosse \w+[taoe]|"
    r"è stat[oaie])"
)
_OF = r"(?:(?:di|del|dello|della|dei|degli|delle) |dell'\s?)"

ITALIAN = Lexicon(
    code="it",
    two_questions=(
        pattern(
            rf"(?<![\w'])(?:ed?|e anche|e inoltre|ma anche|ma|o|oppure|nonché) (?:non )?(?:vi |ci |ne |si |lo |la |"
            rf"li |le |gli )?(?:{_VERB})(?![\w'])"
        ),
        pattern(rf"(?<![\w'])(?:ed?|e anche|e inoltre|ma anche|nonché) (?:{_VERB_OR_NOUN}) {_ARTICLE}"),
        pattern(
            rf"(?<!\w)(?:è|sono|era|erano|sembra|sembrano|risulta|appare|suona|"
            rf"sia)(?!\w)[^?.;]*?(?<!\w){_ADJECTIVE},? (?:ed?|ma|e anche|nonché|che|sia) {_ADJECTIVE}(?=\s*(?:$|"
            rf"[?.,;]|(?:per|con|verso|nel|nella|in|a|al|alla|di|da)(?!\w)))"
        ),
        # A word before an article that is none of these is a verb: "e prescrive una dose".
        pattern(
            r"(?<![\w'])e (?!anche|inoltre|insieme|come|dove|sempre|oltre|mediante|durante|tutt|entramb|senza|verso|"
            r"circa|contro|tramite|sopra|nonostante|prima|lungo|ogni|presso)\w{4,}(?:a|e|ano|ono) (?:un|una|uno|"
            r"un'\w+|il|lo|la|gli|l'\w+|dei|degli|delle)(?!\w)"
        ),
        # Two participles after one "è": "è arrivato in ritardo e rovinato".
        pattern(
            r"(?<!\w)(?:è|sono)(?: stat[oaie])? \w{3,}(?:at|it|ut|rt|st|tt|ns|s)[oaie](?!\w)[^?.;,]*? e (?!(?:mercat|"
            r"avvocat|privat|candidat|risultat|contenut|soldat|impiegat|parent|stat)[oaie](?!\w))\w{4,}(?:at|it|"
            r"ut)[oaie](?=\s*(?:$|[?.,;]))"
        ),
        pattern(r"(?<![\w'])(?:e|o) (?:se|perché|quanto|come mai|chi|quando|dove|in che modo)(?![\w'])"),
    ),
    relative=words("che", "chi", "cui", "dove", "quando", "quale", "quali"),
    counting=pattern(
        rf"(?<!\w)(?:(?<!di )(?<!in )(?<!per )(?<!a )quant[ie](?! (?:ne|altr\w*|più|meno)(?!\w))|quanto (?:costa|dura|"
        rf"vale|tempo|denaro|spazio|manca) ?|(?:il )?numero (?:totale|complessivo) d\w+|(?:la )?somma d\w+|"
        rf"super[aio]\w* (?:\w+mente )?(?:il |i |gli |le )?{_NUMBER}|(?:la )?media d(?:i|ei|egli|elle)|"
        rf"(?:la )?percentuale d\w+|cont(?:a|are|ando) (?:il|le|gli|i|quant\w+)|calcol(?:a|are|ando) (?:il|la|le|i)|"
        rf"più di {_NUMBER}|meno di {_NUMBER}|(?:almeno|al massimo|al più|esattamente|oltre|non più di|non meno di|"
        rf"fino a) {_NUMBER}|(?:superior[ei]|inferior[ei]|maggior[ei]|minor[ei]) (?:a|di) {_NUMBER}|"
        rf"(?:{_NUMBER}(?<!due)) o (?:più|meno)|il doppio d\w+|{_NUMBER} volte (?:più|tant\w))(?!\w)"
    ),
    dates=pattern(
        rf"(?<!\w)(?:(?:prima|dopo|anteriore|posteriore|antecedente|successiv[oa]|entro|precede|"
        rf"segue)(?!\w)[^?.;,]{{0,50}}?(?<!\w){_POINT}|entro (?:gli ultimi |i prossimi |"
        rf"le prossime )?{_NUMBER} (?:giorni|settimane|mesi|anni|ore)|(?:negli|nei|nelle) (?:ultim[ie]|prossim[ie]|"
        rf"scors[ie]) (?:{_NUMBER} )?(?:giorni|settimane|mesi|anni)|(?:più|meno) (?:recente|vecchi[oa]|"
        rf"antic[oa]) (?:di|del|della|dell'\w+|che)|(?:il|la|i|le) più (?:recent[ei]|vecchi[oae]?)|da quanto tempo|"
        rf"quanto tempo (?:fa|prima|dopo)|(?:è|sono|risulta|già) scadut[oaie]|in ordine cronologico|cronologic\w+|"
        rf"(?:viene|avviene|accade|è avvenut[oa]|è successo) (?:prima|dopo))(?!\w)"
    ),
    writing=words(
        "(?:per favore,? )?(?:spieg(?:a|ate|hi|are)|descriv(?:i|ete|a|ere)|riassum(?:i|ete|a|ere)|motiv(?:a|ate|are)|"
        "giustific(?:a|ate|are)|riscriv(?:i|ete|ere)|parafras(?:a|ate|are)|traduc(?:i|ete|a)|tradurre|elenc(?:a|ate|"
        "are)|argoment(?:a|ate|"
        "are)|sintetizz(?:a|ate|are))",
        "(?:per favore,? )?(?:scriv(?:i|ete|ere)|gener(?:a|ate|are)|produc(?:i|ete)|produrre|cre(?:a|ate|are)|"
        "fornisc(?:i|a)|fornire|forni(?:te|re)|dammi|dimmi|indic(?:a|ate|are)|estra(?:i|ete|rre)|riport(?:a|ate|"
        "are)) (?:il|lo|la|l'\\w+|i|gli|le|un|uno|una|un'\\w+|"
        "tutt[ie]|perché|come|quali|quale|che cosa|cosa)",
    ),
    also_write=words(
        "(?:e|poi|quindi|,) (?:poi )?(?:per favore )?(?:spiegate|motivate|giustificate|motivare|spiegare|giustificare|"
        "dimmi|spiegami) "
        "(?:perché|come|il|la|i|le|quale|che)",
        "con parole tue",
        "a parole tue",
        "con (?:una|la tua) (?:spiegazione|motivazione)",
    ),
    open_question=words(
        "che cosa",
        "cosa",
        "che tipo",
        "qual",
        "quale",
        "quali",
        "chi",
        "perché",
        "come(?! (?:richiesto|annunciato|previsto))",
        "quando",
        "dove",
        "quanto",
        "quanta",
        "quanti",
        "quante",
        "a chi",
        "di chi",
        "in che modo",
        "in quale",
        "a quale",
        "di quale",
        "per quale",
    ),
    negation=words(
        "non",
        "nessun",
        "nessuno",
        "nessuna",
        "nessun'",
        "niente",
        "nulla",
        "mai",
        "né",
        "senza",
        "neanche",
        "nemmeno",
        "neppure",
        "priv[oaie] (?:di|del|dello|della|dei|degli|delle|dell'\\w+)",
        "manca(?:no)?",
        "assenza (?:di|del|della)",
        "mancanza (?:di|del|della)",
    ),
    not_negation=words(
        "non solo",
        "non soltanto",
        "se non",
        "finché non",
        "a meno che non",
        "non appena",
        "o no",
        "sì o no",
        "sì/no",
        "o meno",
        "nonché",
        "niente affatto",
    ),
    concord=words(
        "nessun", "nessuno", "nessuna", "nessun'", "niente", "nulla", "mai", "né", "neanche", "nemmeno", "neppure"
    ),
    privative=words(
        r"in(?:accettabil|consegnat|pagat|adatt|adeguat|ammissibil|appropriat|attendibil|cert|coerent|complet|corrett|"
        r"decent|degn|esatt|fondat|giust|giustificat|"
        r"opportun|soddisfatt|sufficient|util|valid|visibil|conciliabil|compatibil|idone)(?:o|a|i|e)",
        r"im(?:possibil|precis|probabil|propri|pertinent|motivat)(?:o|a|i|e)",
        r"ir(?:rilevant|regolar|responsabil|ragionevol)(?:e|i)",
        r"il(?:legal|leggibil|legittim|logic)(?:o|a|i|e)",
        r"dis(?:onest|adatt|informat)(?:o|a|i|e)",
        r"s(?:corrett|cortes|gradit|gradevol|leal|conosciut)(?:o|a|i|e)",
        r"priv(?:o|a|i|e)",
        r"estrane(?:o|a|i|e)",
    ),
    lacking=words(
        r"omett\w+",
        r"omess\w+",
        r"ignora\w*",
        r"nascond\w+",
        r"nascost\w+",
        r"tac(?:e|ciono|iuto)",
        r"manca\w*",
        r"mancant\w+",
        r"esclud\w+",
        r"tog(?:lie|liere|lie)",
        r"tolg\w+",
        r"rimuov\w+",
        r"rimoss\w+",
        r"cancell\w+",
        r"elimin\w+",
        r"rifiut\w+",
        r"respin\w+",
        r"salta\w*",
        r"vuot[oaie]",
        r"assent[ei]",
        r"evita\w*",
        r"solo",
        r"soltanto",
        "lascia(?:no)? fuori",
        "indebolisc\\w+",
        "meno",
        "diminuisc\\w+",
        r"contradd\w+",
        r"neg(?:a|ano|are)",
        r"divers[oaie]",
        r"vag[oahie]+",
        r"generic\w+",
        r"romp\w+",
        r"oltre",
    ),
    vague=words(
        r"buon(?:o|a|i|e)?(?! (?:sconto|pasto|acquisto|regalo|fede|giorno|sera|postal\w+|fruttifer\w+|del))",
        r"cattiv[oaie](?! fede)",
        r"miglior[ei]?",
        r"peggior[ei]?",
        r"bell[oaie]",
        r"brutt[oaie]",
        r"ottim[oaie]",
        r"scars[oaie]",
        r"adeguat(?:o|a|i|e|amente)",
        r"appropriat(?:o|a|i|e|amente)",
        r"adatt[oaie]",
        r"rilevant[ei]",
        r"important[ei]",
        r"significativ[oaie]",
        r"ragionevol(?:e|i|mente)",
        r"accettabil[ei]",
        r"sufficient(?:e|i|emente)",
        r"util[ei]",
        r"interessant[ei]",
        r"efficac[ei]",
        r"problematic(?:o|a|i|he)",
        r"professional[ei]",
        "di qualità",
        r"ben scritt[oaie]",
        r"opportun[oaie]",
        r"idone[oaie]",
        r"convincent[ei]",
        r"soddisfacent[ei]",
        r"pertinent[ei]",
    ),
    indirection=pattern(
        rf"(?<!\w)(?:(?:suddett|sopracitat|sopraccitat|sopramenzionat|summenzionat|predett|anzidett|succitat)[oaie]|"
        rf"(?:menzionat|indicat|descritt|citat|elencat|nominat|riportat|dett)[oaie] (?:sopra|sotto|prima|"
        rf"in precedenza|precedentemente)|(?:sopra|precedentemente|in precedenza) (?:menzionat|indicat|descritt|citat|"
        rf"elencat|riportat)[oaie]|di cui (?:sopra|sotto)|come sopra|quest'?\s?ultim[oaie]|indirettamente|(?:chi|"
        rf"colui che|colei che|coloro che) [^?.;]{{1,60}} (?:il cui|la cui|i cui|le cui)|{_OF}\w+ {_OF}\w+ {_OF}\w+|"
        rf"se [^?.;]{{1,60}} allora [^?.;]{{1,60}} se)(?!\w)"
    ),
    other_question=pattern(
        r"(?<!\w)(?:(?<!sua )(?<!mia )(?<!sue )domand[ae] (?:precedent[ei]|sopra|\d+)|"
        r"(?<!sua )(?<!mia )(?<!sue )precedent[ei] domand[ae]|rispost[ae] (?:alla|alle|della|precedent[ei]|"
        r"data alla) (?:domanda|domande|precedente|prima|seconda)|(?:tua|vostra) risposta (?:a|alla|su))(?!\w)"
    ),
    declares_data=pattern(
        r"(?:\bdat[oi]\b|\bnon fidat\w\b|\bmai\b|\bnon\b|\bignora\w*\b|\bsoltanto\b|"
        r"\bsolo\b).{0,80}(?:\bistruzion[ei]\b|\bordin[ei]\b|\bcomand[oi]\b|\bdat[oi]\b)|(?:\bistruzion[ei]\b|"
        r"\bordin[ei]\b|\bcomand[oi]\b).{0,60}\b(?:ignora\w*|mai|non|dat[oi])\b"
    ),
    says_no=pattern(r"^\W*(?:no|falso|assente|negativo)(?=\s*(?:$|[,.:;!–—-]))"),
    says_yes=pattern(r"^\W*(?:sì|si|vero|presente|positivo)(?=\s*(?:$|[,.:;!–—-]))"),
    stop_words=listed(
        "a ad agli ai al alla alle allo altra altre altri altro anche c che chi ci cioè col come con contro cui d da "
        "dagli dai dal dalla dalle dallo degli dei del della delle dello dentro di dove due e è ed era erano essere "
        "fa già gli ha hanno i il in io l la le lei li limite lo loro lui ma mentre mi mia mio nè né negli nei nel "
        "nella nelle nello no noi non nulla o oggi ogni oppure per perché più poi prima propri qual quale quali "
        "qualche qualcosa qualcuno quando quanto quel quella quelle quelli quello quest questa queste questi questo "
        "qui s sa sarebbe se sé senza si sì sia solo sono soltanto sopra sta stato stata stati state stessa stesse "
        "stessi stesso su sua sue sugli sui sul sulla sulle sullo suo suoi tra tra tutta tutte tutti tutto un una uno "
        "vi viene vengono testo messaggio risposta documento articolo recensione file stato domanda contiene "
        "contengono dare dà fare esempio esempi caso casi cosa cose parte"
    ),
)
