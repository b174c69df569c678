"""Words that say nothing: rules that fit any task, and reasons that are none. Two short lists, English and Italian."""

from __future__ import annotations

from functools import cache

from senno.lessons.likeness import words

_GENERIC = """
    be more careful; be careful; be very careful; pay more attention; pay attention; pay close attention
    think more carefully; think carefully; think harder; think step by step; try harder; do better; do a better job
    do my best; try again; try something else; try a different approach; work harder; double check
    double check everything; double check my work; check everything; check my work; check my answer; check the answer
    avoid mistakes; avoid errors; avoid the same mistake; make no mistakes; not make mistakes
    not make the same mistake; not repeat the mistake; be more precise; be more accurate; be more thorough
    be thorough; be precise; be accurate; follow the instructions; follow instructions
    read the instructions carefully; read the task carefully; read carefully; learn from my mistakes
    learn from mistakes; improve
    stare più attento; stare più attenta; stare più attenti; essere più attento; essere più attenti;
    fare più attenzione; fare attenzione
    prestare attenzione; prestare più attenzione; stare attento; stare attenti; pensare meglio; pensare bene
    ragionare meglio; ragionare passo per passo; provare di nuovo; riprovare; fare meglio; impegnarmi di più
    fare del mio meglio; controllare meglio; controllare tutto; ricontrollare; ricontrollare tutto; verificare tutto
    evitare errori; evitare gli errori; non fare errori; non ripetere l'errore; non sbagliare; essere più preciso
    essere preciso; seguire le istruzioni; leggere le istruzioni; leggere bene le istruzioni; imparare dagli errori
    migliorare
"""
_AROUND_A_RULE = """
    i we you must should need needs will have has to the a an and or in on next time times future always never please
    just really very more again it this that task tasks work when so do not don t remember also my make sure
    devo dobbiamo bisogna occorre è e o la il le gli i lo un una prossima volta in futuro sempre mai di a da per anche
    molto più ricordare ricordarmi che questo quello compito lavoro
"""
_NO_REASON = """
    unknown; n a; na; none; not known; no reason; no idea; not sure; unclear; do not know; don t know; it failed
    failed; it did not work; it didn t work; did not work; something went wrong; an error occurred; an error; a mistake
    i made a mistake; made a mistake; because it failed; tbd; todo
    non so; non lo so; sconosciuto; boh; nessuno; nessun motivo; nessuna ragione; non è noto; ho sbagliato
    non ha funzionato; è fallito; non funziona; qualcosa è andato storto; un errore; c è stato un errore
"""
_AROUND_A_REASON = "the because it i was is there that task reason perché il la lo è stato motivo ho"


def is_generic(rule: str) -> bool:
    """Whether a rule is but phrases that fit any task (`be more careful`), and the words around them."""
    return _only(rule, _GENERIC, _AROUND_A_RULE)


def gives_no_reason(why: str) -> bool:
    """Whether a reason is none: `unknown`, `it failed`, `non so`."""
    return _only(why, _NO_REASON, _AROUND_A_REASON)


def _only(text: str, phrases: str, around: str) -> bool:
    plain = left = f" {' '.join(words(text))} "
    for phrase in _longest_first(phrases):
        while phrase in left:
            left = left.replace(phrase, "  ")
    return left != plain and all(word in _word_set(around) for word in left.split())


@cache
def _longest_first(phrases: str) -> list[str]:
    each = (phrase for line in phrases.splitlines() for phrase in line.split(";"))
    return sorted((f" {' '.join(words(phrase))} " for phrase in each if phrase.strip()), key=len, reverse=True)


@cache
def _word_set(text: str) -> frozenset[str]:
    return frozenset(words(text))
