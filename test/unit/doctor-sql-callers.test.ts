import { describe, expect, test } from 'vitest';
import { type Answer, oracleError } from './doctor-stand-in.ts';
import { resultOf } from './doctor-world.ts';

const row = (values: Record<string, unknown>) => ({ rows: [values] });
const answers =
  (pattern: RegExp, answer: ReturnType<Answer>): Answer =>
  (sql) =>
    pattern.test(sql) ? answer : undefined;

describe('P20', () => {
  test.each([
    ['what is behind the package can be called by anyone', /^BEGIN \w+_INNER\.enter/, {}, 'open'],
    ['nothing is noted', /AS noted/, { rows: [] }, '{null}'],
    ['a query may not call it', /_CALLERS\.retrieve\(/, oracleError('ORA-14551'), 'ORA-14551'],
    ['the context stays', / AS who FROM dual$/, row({ WHO: '7' }), 'of 7'],
  ])('differs where %s', async (_, pattern, answer, seen) => {
    const result = await resultOf('P20', answers(pattern, answer));
    expect(result).toMatchObject({ status: 'differs', seen: expect.stringContaining(seen) });
  });

  test('fails where the package does not compile, and says why', async () => {
    const result = await resultOf('P20', answers(/user_errors/, row({ TEXT: 'PLS-00201: JSON must be declared' })));
    expect(result).toMatchObject({ status: 'failed', seen: expect.stringContaining('PLS-00201') });
  });
});

describe('P21', () => {
  test.each([
    ['there is no table yet', /rag_setting/, oracleError('ORA-00942'), 'run bootstrap first'],
    ['no model is set', /rag_setting/, row({ ANSWER_PARAMS: null }), 'RAG_ANSWER_MODEL'],
  ])('is not tried where %s', async (_, pattern, answer, seen) => {
    const result = await resultOf('P21', answers(pattern, answer));
    expect(result).toMatchObject({ status: 'not tried', seen: expect.stringContaining(seen) });
  });

  test.each([
    ['the reply is the JSON of the service', row({ REPLY: '{"text":"ZEPPELIN"}' }), '{"text"'],
    ['the access list lacks the host', oracleError('ORA-24247'), 'ORA-24247'],
  ])('differs where %s', async (_, answer, seen) => {
    const result = await resultOf('P21', answers(/UTL_TO_GENERATE_TEXT/, answer));
    expect(result).toMatchObject({ status: 'differs', seen: expect.stringContaining(seen) });
  });
});
