"""A text as the terms that it is found by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.lessons.search.languages import LANGUAGES, language_of
from senno.lessons.search.tokens import analysed, query_terms, words_of


def terms(text):
    return analysed([text]).terms[0].split()


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("english", "the invoices were reconciled by the agent", "an invoice is to be reconciling"),
        ("italian", "le fatture sono state registrate con la data", "la fattura non è registrata"),
        ("german", "die Rechnungen wurden nicht geprüft", "der Preis einer Rechnung ist zu prüfen"),
        ("french", "les factures sont dans la base et pas vérifiées", "une facture que nous vérifions"),
        ("spanish", "las facturas se han registrado en la base", "una factura que es registrada por el agente"),
        ("portuguese", "as faturas não foram registadas no sistema", "uma fatura que não é do cliente"),
        ("dutch", "de facturen zijn niet gecontroleerd", "het is een factuur die niet klopt"),
        ("swedish", "fakturorna och det som inte är betalt", "det är en faktura som är betald"),
        ("russian", "счета не были проверены", "проверить счета"),
    ],
)
def test_28_forms_of_a_word_are_one_term_in_its_language(language, one, other):
    assert analysed([one]).language == language
    assert {term for term in terms(one) if len(term) > 4} & set(terms(other))


def test_a_short_query_finds_whatever_language_it_is_taken_for():
    document = set(terms("Le fatture sono state registrate con la data sbagliata"))
    found = {stem for group in query_terms("fattura", ["english", "italian"]) for stem in group}
    assert document & found


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("数据库连接超时", "数据"),
        ("データベースの接続", "接続"),
        ("ฐานข้อมูลหมดเวลา", "ข้อมูล"),
        ("ຖານຂໍ້ມູນ", "ຂໍ້ມູນ"),
        ("មូលដ្ឋានទិន្នន័យ", "ទិន្នន័យ"),
        ("ဒေတာဘေ့စ်", "ဒေတာ"),
        ("डेटाबेस का कनेक्शन", "कनेक्शन"),
        ("соединение с базой", "базой"),
        ("σύνδεση βάσης", "βάσης"),
        ("اتصال قاعدة البيانات", "البيانات"),
        ("חיבור למסד הנתונים", "הנתונים"),
        ("데이터베이스 연결", "연결"),
    ],
)
def test_28_a_word_within_a_text_of_any_script_is_found(text, query):
    found = {stem for group in query_terms(query, [analysed([text]).language]) for stem in group}
    assert found & set(terms(text))


def test_scripts_without_spaces_are_runs_of_two_and_three_letters_and_a_lone_letter_is_itself():
    assert terms("数据库") == ["数据", "据库", "数据库"]
    assert terms("日") == ["日"]


def test_mixed_scripts_are_all_found():
    assert {"postgr", "连接", "timeout"} <= set(terms("Postgres 连接 timeout"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parse_int", {"parse_int", "pars", "int"}),
        ("os.path.join", {"os_path_join", "os", "path", "join"}),
        ("getHTTPResponse", {"gethttprespons", "get", "http", "respons"}),
        ("INV-2026-17", {"inv_2026_17", "inv", "2026", "17"}),
        ("near-duplicate", {"near", "duplic"}),
        ("E1234", {"e1234"}),
        ("Größe café", {"cafe", "gross"}),
        ("ＡＢＣ ﬁle", {"abc", "file"}),
        ("deadbeefcafe0123", {"deadbeefcafe0123"}),
        ("_private__name_", {"private_name", "privat", "name"}),
    ],
)
def test_identifiers_codes_and_accents(text, expected):
    assert set(terms(text)) == expected


def test_function_words_are_looked_for_only_where_there_is_nothing_else():
    assert query_terms("the currency of the invoice", ["english"]) == [("currenc",), ("invoic",)]
    assert query_terms("to be or not to be", ["english"])


@given(st.text(max_size=200))
def test_a_term_is_never_syntax_of_fts5(text):
    for term in terms(text):
        assert term
        assert not any(c.isspace() or c in '"*()^:-+{}\0' for c in term)
        assert len(term) <= 64


@given(st.text(max_size=100))
def test_a_text_finds_itself(text):
    found = analysed([text])
    wanted = {stem for group in query_terms(text, [found.language]) for stem in group}
    assert wanted <= set(terms(text)) or found.language != analysed([text]).language


@given(st.text(max_size=100))
def test_the_language_is_always_one_that_has_a_stemmer(text):
    assert language_of(text, words_of(text).plain) in LANGUAGES


def test_an_identifier_is_no_sign_of_a_language():
    assert analysed(["os.path.join"]).language == "english"
