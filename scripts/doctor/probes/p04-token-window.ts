import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';
import { largestDifference } from './vectors.ts';

const EMBED = 'SELECT VECTOR_EMBEDDING(<model> USING :text AS DATA) AS vector FROM dual';

/** Words that are one piece each to a model of English. */
const WORDS =
  `time year people way day man thing woman life child world school state family student group country problem hand part
   place case week company system program question work government number night point home water room mother area money
   story fact month lot right study book eye job word business issue side kind head house service friend father power
   hour game line end member law car city name president team minute idea body information back parent face others level
   office door health person art war history party result change morning reason research girl guy moment air teacher
   force education`.split(/\s+/);
const LONGEST = 600;

const ENGLISH =
  'The checkout returned errors for eleven minutes on Monday because the connection pool was exhausted after the nightly ' +
  'report had opened more sessions than the database allows. The team raised the limit, moved the report to the replica ' +
  'and added an alert on waiting requests. Customers who had paid twice were refunded the same day, and the provider ' +
  'confirmed that no card data had left its systems. ';
const SPANISH =
  'El pago devolvió errores durante once minutos el lunes porque el grupo de conexiones se agotó después de que el informe ' +
  'nocturno abriera más sesiones de las que permite la base de datos. El equipo subió el límite, trasladó el informe a la ' +
  'réplica y añadió una alerta sobre las peticiones en espera. A los clientes que habían pagado dos veces se les devolvió ' +
  'el dinero el mismo día, y el proveedor confirmó que ningún dato de tarjeta había salido de sus sistemas. ';
const LAST_WORD = ' zeppelin';

export const tokenWindow: Probe = {
  id: 'P4',
  question: 'Does the model read a passage of the configured length to its end?',
  needs: 'the model',
  means: {
    holds: 'passages of RAG_EMBEDDING_WINDOW characters are embedded whole',
    differs: 'lower RAG_EMBEDDING_WINDOW: what stands at the end of longer passages is not found',
    open: 'RAG_EMBEDDING_WINDOW has 600 characters as its default, which fits a window of 256 word pieces',
  },
  async run(context) {
    const session = await context.open();
    await context.requireModel(session);
    const { window } = context.settings;
    const words = Array.from({ length: LONGEST }, (_, i) => WORDS[(i * 7) % WORDS.length] ?? '');
    const read = await wordsRead(session, words);
    const english = await isReadToEnd(session, ENGLISH, window);
    const spanish = await isReadToEnd(session, SPANISH, window);
    return {
      holds: english,
      seen:
        `it reads ${read === null ? `${LONGEST} words or more` : `${read} words of one piece each, a window of about ${read + 2} pieces`}; ` +
        `${window} characters of English: ${english ? 'whole' : 'cut off'}, of Spanish: ${spanish ? 'whole' : 'cut off'}`,
    };
  },
};

/** How many words change the vector, by halving; null where all of them do. */
async function wordsRead(session: ProbeSession, words: string[]): Promise<number | null> {
  const whole = await embed(session, words.join(' '));
  const again = await embed(session, words.join(' '));
  const noise = Math.max(1e-6, largestDifference(whole, again) * 4);
  const differs = async (count: number) =>
    largestDifference(await embed(session, words.slice(0, count).join(' ')), whole) > noise;
  if (await differs(words.length - 1)) return null;
  // The vector of `low` words differs from that of all, that of `high` words does not.
  let low = 1;
  let high = words.length - 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await differs(middle)) low = middle;
    else high = middle;
  }
  return high;
}

async function isReadToEnd(session: ProbeSession, text: string, length: number): Promise<boolean> {
  const passage = text.repeat(Math.ceil(length / text.length)).slice(0, length - LAST_WORD.length);
  const other = ' mountain';
  const difference = largestDifference(
    await embed(session, passage + LAST_WORD),
    await embed(session, passage + other),
  );
  return difference > 1e-6;
}

async function embed(session: ProbeSession, text: string): Promise<Float32Array> {
  const vector = await session.value(EMBED, { text });
  if (!(vector instanceof Float32Array)) throw new Error('an embedding does not come back as a Float32Array');
  return vector;
}
