import type { DataFolder } from './data-folder.ts';

interface Welcome {
  url: string;
  seconds: string;
  data: DataFolder;
  /** Where the database is, if it is not in the data folder. */
  database: string | null;
  hasSample: boolean;
  manager: string;
  developer: string;
}

/** What a newcomer sees when everything runs: the address, two tokens, three lines to paste. */
export function welcome({ url, seconds, data, database, hasSample, manager, developer }: Welcome): string {
  const ask = (token: string, question: string) =>
    `curl -s ${url}/v1/ask -H "Authorization: Bearer $${token}" -d '{"question":"${question}"}'`;
  const question = hasSample ? 'Which fraud scoring vendor did we choose?' : 'Who repairs the coffee machine?';
  return `
oci-rag answers at ${url} (started in ${seconds} s; stop with Ctrl-C)
  data  ${data.path}${database === null ? '' : `\n        ${database}`}
  log   ${data.logPath}
  API   ${url}/openapi.json

Two tokens, to paste into a shell:

MANAGER=${manager}
DEVELOPER=${developer}

Ask a question as the manager:

${ask('MANAGER', question)}

Write a task, and ask about it a second later:

curl -s -X PUT ${url}/v1/tasks/501 -H "Authorization: Bearer $MANAGER" -d '{"title":"Repair the coffee machine","assigneeId":1,"description":"The pump of the coffee machine on floor 2 is broken. A new pump costs 89 euros."}'; sleep 1; ${ask('MANAGER', 'What does a new pump for the coffee machine cost?')}

Ask the first question as a developer who may not see the answer:

${ask('DEVELOPER', question)}
`;
}
