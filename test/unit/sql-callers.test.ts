import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { statementsOf } from '../../functions/adapters/oracle/migrator.ts';
import { NOT_FOUND, OFF_TOPIC } from '../../functions/core/answer.ts';
import { buildAnswerPrompt, INSTRUCTIONS, NOT_FOUND_WORD, promptAsText } from '../../functions/core/prompt.ts';
import { codeOf, sqlIn } from '../support/oracle/code.ts';
import { parseStatement } from '../support/oracle/parse.ts';
import { oracleMigrations, PLACEHOLDERS, readSchema, type Schema } from '../support/oracle/schema.ts';

/** PL/SQL cannot run here: what it says, and what it promises, is held against the rules that do. */
let statements: string[];
let schema: Schema;
beforeAll(async () => {
  schema = await readSchema();
  statements = (await oracleMigrations()).flatMap(({ sql }) => statementsOf(sql, PLACEHOLDERS));
});

const named = (begin: string) => statements.find((statement) => statement.startsWith(begin)) ?? '';
const body = (name: string) => named(`CREATE OR REPLACE PACKAGE BODY ${name} `);
const textOf = (literal: string | undefined) => (literal ?? '').replaceAll("''", "'");

/** The text of one procedure or function of a package's body. */
function subprogram(pack: string, name: string): string {
  const code = body(pack);
  const start = code.search(new RegExp(`^ {2}(?:PROCEDURE|FUNCTION) ${name}\\b`, 'm'));
  return code.slice(start, code.indexOf(`END ${name};`, start));
}

describe('the texts of RAG.ASK are those of the functions', () => {
  const constant = (name: string) =>
    new RegExp(`\\b${name} CONSTANT \\w+\\(\\d+\\) := (?:q'~([^~]*)~|'([^']*))';`).exec(body('rag_text'));

  test.each([
    ['off_topic', OFF_TOPIC],
    ['not_found', NOT_FOUND],
  ])('%s in every language', (name, sentences) => {
    const code = subprogram('rag_text', name);
    const found = [...code.matchAll(/(?:WHEN '(\w\w)' THEN|ELSE) '((?:[^']|'')*)'/g)];
    expect(Object.fromEntries(found.map(([, language = 'en', text]) => [language, textOf(text)]))).toEqual(sentences);
    for (const language of Object.keys(sentences)) {
      expect(subprogram('rag_text', 'language_of')).toMatch(new RegExp(`NOT IN \\([^)]*'${language}'`));
    }
  });

  test('the instructions and the code word', () => {
    expect(constant('c_instructions')?.[1]).toBe(INSTRUCTIONS);
    expect(constant('c_not_found_word')?.[2]).toBe(NOT_FOUND_WORD);
  });

  test('the prompt around question and sources', () => {
    const code = codeWithTexts(subprogram('rag_text', 'build_prompt'));
    const assigned = (variable: string) =>
      [...code.matchAll(new RegExp(`\\b${variable} (?:CONSTANT \\S+ )?:= ([^;]*);`, 'g'))].map(
        ([, expression = '']) => expression,
      );
    const source = { n: 1, title: 'Choose a vendor', text: 'Harrowgate Signals\nwas chosen.' };
    const random = '0123456789abcdef0123456789abcdef';
    const values: Record<string, string> = {
      c_instructions: INSTRUCTIONS,
      c_line: '\n',
      p_fence: random,
      n: '1',
      'as_data(p_hits(n).text)': source.text,
      'as_data(TRIM(p_question))': 'Which vendor?',
    };
    const title = /REGEXP_REPLACE\(as_data\(p_hits\(n\)\.title\)[^)]*\)/.exec(code)?.[0] ?? '';
    values[title] = source.title;
    values.v_fence = joined(assigned('v_fence')[0], values);
    values.v_line = joined(assigned('v_line')[0], values);
    values.v_block = joined(assigned('v_block')[0], values);
    values.p_prompt = '';
    for (const expression of assigned('p_prompt')) values.p_prompt = joined(expression, values);

    const { prompt } = buildAnswerPrompt({
      question: 'Which vendor?',
      sources: [source],
      history: [],
      tokenBudget: 10_000,
      fence: values.v_fence,
    });
    expect(values.p_prompt).toBe(promptAsText(prompt));
  });
});

/** Without comments, on one line, texts as they are. */
const codeWithTexts = (code: string) => code.replace(/--[^\n]*/g, '').replace(/\s+/g, ' ');

/** The value of texts and names that are strung together. */
function joined(expression: string | undefined, values: Record<string, string>): string {
  return (expression ?? '')
    .split(' || ')
    .map((part) => {
      const text = /^'((?:[^']|'')*)'$/.exec(part)?.[1];
      const value = text === undefined ? values[part] : textOf(text);
      if (value === undefined) throw new Error(`${part} stands for nothing`);
      return value;
    })
    .join('');
}

describe('who a session is', () => {
  const listeners = (code: string) =>
    /SESSION_USER'?\)? IN \(([^)]*)\)|v_session_user IN \(([^)]*)\)/.exec(code)?.slice(1).find(Boolean);

  test('is told by the view as by the package', () => {
    const view = named('CREATE OR REPLACE VIEW rag_knowledge');
    const code = subprogram('rag_caller', 'session_identity');
    expect(listeners(view)).toBe(listeners(code));
    expect(listeners(view)).toContain('APEX_PUBLIC_USER');
    for (const part of ["'apex:' || SYS_CONTEXT('APEX$SESSION', 'APP_USER')", "'database:' || "]) {
      expect(view).toContain(part);
      expect(code).toContain(part);
    }
  });

  test('is nothing that a caller can say: no parameter names a person, and nothing reads a client identifier', () => {
    const spec = named('CREATE OR REPLACE PACKAGE rag AUTHID DEFINER');
    const parameters = [...codeOf(spec).matchAll(/(\w+) IN (?:VARCHAR2|NUMBER)/g)].map(([, name]) => name);
    expect(parameters).toEqual(['question', 'k', 'max_distance', 'question', 'answer_language']);
    expect(statements.map(codeAndTexts).join('\n')).not.toMatch(
      /CLIENT_IDENTIFIER|CLIENTCONTEXT|PROXY_USER|CLIENT_INFO/i,
    );
  });

  test('acts for the system nowhere but where people are looked up and calls are counted', () => {
    const places = statements.flatMap((statement) =>
      [...statement.matchAll(/rag_security\.enter_system/g)].map(
        ({ index }) =>
          /(?:PROCEDURE|FUNCTION) (\w+)(?![\s\S]*\n {2}(?:PROCEDURE|FUNCTION) )/.exec(statement.slice(0, index))?.[1],
      ),
    );
    expect(places).toEqual(['enter', 'take_model_call']);
  });
});

const codeAndTexts = (statement: string) => statement.replace(/--[^\n]*/g, '');

describe('what is behind RAG', () => {
  test('may be called by RAG alone, and RAG by nobody until it is granted', () => {
    const inner = statements.flatMap(
      (sql) => /^CREATE OR REPLACE PACKAGE (rag_(?:caller|text|search)) (.*)/.exec(sql) ?? [],
    );
    expect(inner.filter((part) => part.startsWith('CREATE'))).toHaveLength(3);
    for (const head of inner.filter((part) => part.startsWith('CREATE')))
      expect(head).toMatch(/AUTHID DEFINER ACCESSIBLE BY \(PACKAGE rag\b/);
    for (const grant of statements.filter((statement) => statement.startsWith('GRANT'))) {
      expect(grant).not.toMatch(/ ON rag(?:_caller|_text|_search|_setting|_sql_identity|_knowledge)? TO/);
    }
  });

  test('is searched by binds alone, given in the order in which the statement names them', () => {
    const [search = ''] = sqlIn(body('rag_search'), { model: 'M', column: 'embedding' });
    const order = [...search.matchAll(/:(\w+)/g)].map(([, name]) => name);
    const given = /OPEN v_cursor FOR v_sql USING([^;]*);/.exec(body('rag_search'))?.[1] ?? '';
    const wanted: Record<string, string> = {
      question: 'p_question',
      model: 'p_settings.embedding_model',
      everything: 'v_everything',
      employee_id: 'p_employee_id',
      top_k: 'p_top_k',
    };
    expect(given.split(',').map((name) => name.trim())).toEqual(order.map((name) => wanted[name ?? '']));
    expect(parseStatement(search).names.sort()).toEqual(
      Object.keys(wanted)
        .map((name) => name.toUpperCase())
        .sort(),
    );
  });

  test('reads its settings in the order of the table, since a row takes them so', () => {
    const [settings = ''] = sqlIn(body('rag_search')).filter((sql) => sql.includes('rag_setting'));
    expect([...settings.matchAll(/s\.(\w+)(?=,|\s+FROM)/g)].map(([, name]) => name)).toEqual([
      ...(schema.tables.get('rag_setting') ?? []),
    ]);
  });
});

test('the view shows one model, cannot be written, and describes each of its columns', () => {
  const view = named('CREATE OR REPLACE VIEW rag_knowledge');
  expect(view).toContain('c.embedding_model = (SELECT s.embedding_model FROM rag_setting s');
  expect(view).toMatch(/WITH READ ONLY$/);
  const columns = (/SELECT ([\s\S]*?)\nFROM/.exec(view)?.[1] ?? '').split(',').map((column) => column.trim());
  for (const column of columns) {
    const [, from = '', as = from] = /^c\.(\w+)(?: AS (\w+))?$/.exec(column) ?? [];
    expect(schema.tables.get('rag_chunk')?.has(from), column).toBe(true);
    expect(named(`COMMENT ON COLUMN rag_knowledge.${as} IS`), column).not.toBe('');
  }
  expect(columns.length).toBeGreaterThan(10);
});

test('the page for developers names what there is: functions, errors, columns, grants', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/sql.md'), 'utf8');
  const errors = new Set(
    statements.flatMap((sql) => [...sql.matchAll(/RAISE_APPLICATION_ERROR\(-(200[1-9]\d)/g)].map(([, code]) => code)),
  );
  expect(errors.size).toBeGreaterThan(5);
  for (const code of errors) expect(page).toContain(`ORA-${code}`);
  for (const part of [
    'rag_knowledge',
    'rag_sql_identity',
    'ENABLE_RESOURCE_PRINCIPAL',
    'APPEND_HOST_ACE',
    'GRANT EXECUTE ON',
  ]) {
    expect(page).toContain(part);
  }
});
