import { beforeAll, describe, expect, test } from 'vitest';
import { statementsOf } from '../../functions/adapters/oracle/migrator.ts';
import { codeOf, lintCode, sqlIn } from '../support/oracle/code.ts';
import { lint } from '../support/oracle/lint.ts';
import { oracleMigrations, oracleUsers, PLACEHOLDERS, readSchema, type Schema } from '../support/oracle/schema.ts';
import { withoutTexts } from '../support/oracle/sql.ts';

/** What stands for `<name>` in statements that stored code makes. */
const NAMES = { model: 'ALL_MINILM_L12_V2', column: 'embedding' };

interface Unit {
  name: string;
  code: string;
}

let schema: Schema;
let units: Unit[];
beforeAll(async () => {
  schema = await readSchema();
  units = [...(await oracleUsers()), ...(await oracleMigrations())].flatMap(({ name, sql }) =>
    statementsOf(sql, PLACEHOLDERS)
      .filter((statement) => /^(?:BEGIN|DECLARE|CREATE OR REPLACE PACKAGE)\b/.test(statement))
      .map((code) => ({ name: `${name}: ${code.split('\n', 1)[0]}`, code })),
  );
});

const bodyOf = (name: string) =>
  units.find(({ code }) => code.startsWith(`CREATE OR REPLACE PACKAGE BODY ${name} `))?.code ?? '';

describe('stored code', () => {
  test('keeps the rules', () => {
    expect(units.length).toBeGreaterThan(12);
    expect(units.flatMap(({ name, code }) => lintCode(code, schema).map((fault) => `${name}: ${fault}`))).toEqual([]);
  });

  test('has the procedures that its package promises, with the same parameters', () => {
    const signatures = (code: string) =>
      [...codeOf(code).matchAll(/^ {2}((?:PROCEDURE|FUNCTION) [^;]*?)(?:;| IS\b)/gm)].map(([, text = '']) =>
        text.replace(/\s+/g, ' '),
      );
    const specs = units.filter(({ code }) => /^CREATE OR REPLACE PACKAGE (?!BODY)/.test(code));
    expect(specs.length).toBeGreaterThan(6);
    for (const { code } of specs) {
      const name = /PACKAGE (\w+)/.exec(code)?.[1] ?? '';
      expect(signatures(bodyOf(name)), name).toEqual(expect.arrayContaining(signatures(code)));
    }
  });

  test('makes row policies that are whole conditions', () => {
    const PIECE = /q'\[([\s\S]*?)\]'|'((?:[^']|'')*)'|(\w+)\(([^()]*)\)|\b([cp]_\w+)/g;
    for (const { code } of units.filter((unit) => /PACKAGE BODY \w*policy\b/i.test(unit.code))) {
      const body = code.replace(/--[^\n]*/g, ' ');
      const known = new Map<string, string>();
      const textOf = (expression: string): string =>
        [...expression.matchAll(PIECE)]
          .map(([, quoted, text, called, given = '', name = '']) => {
            if (quoted !== undefined) return quoted;
            if (text !== undefined) return text.replaceAll("''", "'");
            return called === undefined ? (known.get(name) ?? name) : textOf(`${known.get(called)} || ${given}`);
          })
          .join('');
      for (const [, name = '', value = ''] of body.matchAll(/(c_\w+) CONSTANT VARCHAR2\(\d+\) :=\s*([\s\S]*?);\n/g)) {
        known.set(name, textOf(value));
      }
      const returned = [...body.matchAll(/FUNCTION (\w+)\([^)]*\)[\s\S]*?RETURN ((?!VARCHAR2)[\s\S]*?);\n/g)];
      expect(returned.length).toBeGreaterThan(0);
      for (const [, name = '', expression = ''] of returned) {
        const policy = textOf(expression);
        let depth = 0;
        for (const sign of withoutTexts(policy)) {
          depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
          expect(depth, `${name}: ${policy}`).toBeGreaterThanOrEqual(0);
        }
        expect(depth, `${name}: ${policy}`).toBe(0);
      }
    }
  });

  test('runs SQL that keeps the rules of all SQL', () => {
    const bodies = units.filter(({ code }) => code.startsWith('CREATE OR REPLACE PACKAGE BODY'));
    const statements = bodies.flatMap(({ name, code }) => sqlIn(code, NAMES).map((sql) => ({ name, sql })));
    const named = (part: string) => statements.filter(({ sql }) => sql.includes(part)).length;
    expect(named('VECTOR_DISTANCE')).toBe(1);
    expect(named('INSERT INTO rag_log')).toBe(1);
    expect(named('FROM rag_sql_identity')).toBe(1);
    expect(
      statements.flatMap(({ name, sql }) => lint(sql, schema).map((fault) => `${name}: ${fault}: ${sql}`)),
    ).toEqual([]);
  });
});

describe('the linter of stored code finds', () => {
  const inBody = (code: string) => `CREATE OR REPLACE PACKAGE BODY p AS\n${code}\nEND p;`;
  const procedure = (code: string, declarations = '') =>
    inBody(`  PROCEDURE q(p_id IN NUMBER) IS\n${declarations}  BEGIN\n    ${code}\n  END q;`);

  test('nothing in what is right', () => {
    expect(lintCode(procedure('leave(CASE p_id WHEN 1 THEN v_no END);', '    v_no NUMBER;\n'), schema)).toEqual([]);
  });

  test.each([
    [procedure('BEGIN leave; EXCEPTION WHEN OTHERS THEN NULL; END;'), 'swallows'],
    [procedure('leave((p_id);'), 'parentheses'],
    [procedure('IF p_id = 1 THEN leave;'), 'END q; closes IF'],
    [procedure('LOOP leave; END IF;'), 'END IF closes LOOP'],
    [procedure('v_no := p_id;'), 'v_no is not declared'],
    [procedure('leave;', '    v_no NUMBER;\n'), 'v_no is not used'],
    [
      procedure('INSERT INTO task (task_id) VALUES (p_id);', '    PRAGMA AUTONOMOUS_TRANSACTION;\n'),
      'ends with COMMIT',
    ],
    [procedure('leave; COMMIT;', '    PRAGMA AUTONOMOUS_TRANSACTION;\n'), 'ends with ROLLBACK'],
    [procedure("EXECUTE IMMEDIATE 'SELECT ' || p_question || ' FROM dual' INTO p_id;"), 'part of a statement'],
    [procedure('OPEN v_cursor FOR v_sql || question USING p_id;'), 'part of a statement'],
    [procedure('rag_security.enter_anybody;'), 'rag_security.enter_anybody: no such member'],
    [inBody('  PROCEDURE q IS\n  BEGIN\n    leave;\n  END;'), 'its END does not name it'],
    ['CREATE OR REPLACE PACKAGE p AS\n  PROCEDURE q;\nEND p;', 'AUTHID'],
  ])('%s', (code, expected) => {
    expect(lintCode(code, schema).join('\n')).toContain(expected);
  });

  test.each([
    [
      'a search without the scope',
      /\n +AND \(:everything = 1 OR \(c\.[^\n]*/,
      '',
      'c: chunks are read without the scope',
    ],
    [
      'a scope that something makes void',
      /(h\.owner_employee_id = :employee_id\))\)/,
      '$1 OR 1 = 1)',
      'h: chunks are read',
    ],
    ['a search that an index may shorten', 'FETCH EXACT FIRST', 'FETCH FIRST', 'EXACT or APPROX'],
    ['a column that no migration makes', 'h.content, f', 'h.contents, f', 'no such column'],
  ])('in the SQL of stored code %s', (_, part, replacement, expected) => {
    const body = bodyOf('rag_search');
    const changed = body.replace(part, replacement);
    expect(changed).not.toBe(body);
    expect(
      sqlIn(changed, NAMES)
        .flatMap((sql) => lint(sql, schema))
        .join('\n'),
    ).toContain(expected);
  });
});
