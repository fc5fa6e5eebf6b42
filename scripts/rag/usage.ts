/** What `npm run rag -- --help` prints. */
export const USAGE = `usage: npm run rag -- COMMAND [options]

  ask "QUESTION" [--top-k N] [--as WHO]
        asks, and prints the answer with its numbered sources
        (as the manager; --top-k: how many sources to look at, 1 to 50)

  calibrate [--corpus FILE --questions FILE] [--svg FILE] [--env FILE] [--write]
        measures, for an embedding model, how near a passage must be and what meaning counts against words
        (by the sample's records and questions, or those of --corpus, NDJSON, and --questions, JSON; with
        RAG_DATABASE in the environment, by what that database holds, which is only read. The model is that of
        npm start, or the one that RAG_EMBEDDING_... names. --svg: the distances as a picture; --write: the settings
        into the data folder, for npm start; --env: as NAME=value lines. See docs/retrieval.md)

  explain CALL_ID [--again] [--as WHO]
        shows what came of a question and why: the sources and what put them there, the times, the model
        (--again: searches once more, now and as WHO, and shows what has changed)

  gaps [--days N]
        what was asked in the last N days (30) and not found, grouped, the most asked first

  import FILE [--type task|sprint|project|employee] [--map FIELD=COLUMN,...] [--set FIELD=VALUE,...]
              [--format ndjson|csv] [--restart]
        writes the records of a file and waits until they can be asked about; an import that was cut off goes on
        where it stopped when the same command is run again (--restart: from the first record)
        NDJSON  one record a line, as POST /v1/records takes them
        CSV     a header row, then a record a row. --map says which column a field is read from (without it: the
                columns that have a field's name), --set gives a field the same value in every record.
                A key such as CLOV-1086 stands for the id 1086. Empty cells and NULL are left out.
        npm run rag -- import issues.csv --type task --map id=issuekey,title=title,storyPoints=points

  import FOLDER [--prefix P] [--audience organization|managers|ID,ID...] [--project ID|none] [--labels A,B] [--prune]
        writes the files of a folder as documents, under the path P (the folder's name), and waits until they can be
        asked about. Files that are stored already as they are, are left alone; what an option does not say stays as it
        is stored, and is for everybody in a new document. Hidden files, symbolic links and node_modules are passed over.
        (--prune: removes the documents under P whose file is no longer in the folder)

  leak-test [--questions N] [--people N] [--concurrency N] [--seed S] [--keep] [--tokens FILE --yes]
        proves that nobody is shown another's records: writes a secret task for each of N people (8), asks for them as
        everybody else in N questions (10000), looks for them in all that comes back, and removes them; exits with 1
        where something has leaked. On a server elsewhere it takes RAG_TOKEN, which must be able to write, --tokens,
        a file with a line "employeeId token" for each of several people, and --yes.
        (--concurrency: so many questions at once, 8; --seed: the same questions again; --keep: removes nothing)

  status
        the queue, the index, the models

  reconcile
        compares the documents with the object store, and repairs what events have missed

  reindex [--type document|diagnostic] [--prefix P] [--after ID]
        reads the stored files again and indexes what is in them now
        (--prefix: those whose path or id begins so; --after: goes on behind this one)

  requeue
        gives sources whose indexing was given up another round of attempts

  token WHO [--scope rag.write]
        prints a token: TOKEN=$(npm run --silent rag -- token manager)

WHO is manager (whose token may write too), developer, admin, or the id of an employee.

  --data DIR   the data folder of npm start (default .data)
  --url URL    the server (default: the one that runs on the data folder)
  --help       this text

A token in the environment variable RAG_TOKEN is used instead of one of the data folder's own.`;
