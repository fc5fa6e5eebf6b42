import { codeOf, refusalOf } from '../errors.ts';
import { NotTried } from '../finding.ts';
import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';

const PARAMS = 'SELECT s.answer_params FROM <owner>.rag_setting s WHERE s.setting_id = 1';
const CREDENTIALS = "SELECT COUNT(*) AS n FROM all_credentials WHERE credential_name = 'OCI$RESOURCE_PRINCIPAL'";
const HOSTS = 'SELECT DISTINCT host FROM user_host_aces ORDER BY host';
const ASK = 'SELECT DBMS_VECTOR_CHAIN.UTL_TO_GENERATE_TEXT(:prompt, JSON(:params)) AS reply FROM dual';

/** Not a letter of it is in any answer by chance. */
const WORD = 'ZEPPELIN';
const PROMPT = `Reply with the single word ${WORD} and nothing else.`;

const NO_TABLE = new Set(['ORA-00942', 'ORA-00904']);

export const generativeAi: Probe = {
  id: 'P21',
  question: 'Does OCI Generative AI answer the database by its resource principal, with the text alone?',
  needs:
    'the row of RAG_SETTING that bootstrap writes with RAG_ANSWER_MODEL=oci:…, as the owner; one call of that model',
  means: {
    holds: 'RAG.ASK answers',
    differs:
      'RAG.ASK does not answer as it is: see docs/sql.md for principal, policy and access list; RAG.RETRIEVE does',
    open: 'RAG.ASK rests on this; RAG.RETRIEVE and the functions do not',
  },
  async run(context) {
    context.names.set('owner', context.settings.owner);
    const session = await context.open();
    const params = await session.value(PARAMS).catch((error: unknown) => {
      if (!NO_TABLE.has(codeOf(error))) throw error;
      throw new NotTried('RAG_SETTING is not there or not visible; run bootstrap first, and the probe as the owner');
    });
    if (params === null) throw new NotTried('RAG_SETTING names no model that answers (RAG_ANSWER_MODEL=oci:…)');
    const credentials = await told(session, async () => String(await session.value(CREDENTIALS)));
    const hosts = await told(session, async () =>
      (await session.rows(HOSTS)).map(({ host }) => String(host)).join(' '),
    );
    const reply = await told(session, async () =>
      String(await session.value(ASK, { prompt: PROMPT, params: String(params) })),
    );
    const isText = /^[^{[]*$/.test(reply) && reply.includes(WORD);
    return {
      holds: isText,
      seen:
        `the reply is {${reply.replace(/\s+/g, ' ').trim().slice(0, 80)}} (wanted {${WORD}}); credentials ` +
        `OCI$RESOURCE_PRINCIPAL: ${credentials}; hosts in the access list: {${hosts}}`,
    };
  },
};

async function told(session: ProbeSession, work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    return refusalOf(error, session.signal);
  }
}
