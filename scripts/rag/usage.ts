/** What `npm run rag -- --help` prints. */
export const USAGE = `usage: npm run rag -- COMMAND [options]

  ask "QUESTION" [--top-k N] [--as WHO]
        asks, and prints the answer with its numbered sources
        (as the manager; --top-k: how many sources to look at, 1 to 50)

  import FILE [--type task|sprint|project|employee] [--map FIELD=COLUMN,...] [--set FIELD=VALUE,...]
              [--format ndjson|csv] [--restart]
        writes the records of a file and waits until they can be asked about; an import that was cut off goes on
        where it stopped when the same command is run again (--restart: from the first record)
        NDJSON  one record a line, as POST /v1/records takes them
        CSV     a header row, then a record a row. --map says which column a field is read from (without it: the
                columns that have a field's name), --set gives a field the same value in every record.
                A key such as CLOV-1086 stands for the id 1086. Empty cells and NULL are left out.
        npm run rag -- import issues.csv --type task --map id=issuekey,title=title,storyPoints=points

  status
        the queue, the index, the models

  requeue
        gives sources whose indexing was given up another round of attempts

  token WHO [--scope rag.write]
        prints a token: TOKEN=$(npm run --silent rag -- token manager)

WHO is manager (whose token may write too), developer, admin, or the id of an employee.

  --data DIR   the data folder of npm start (default .data)
  --url URL    the server (default: the one that runs on the data folder)
  --help       this text

A token in the environment variable RAG_TOKEN is used instead of one of the data folder's own.`;
