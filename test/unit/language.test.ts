import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LANGUAGE_MISMATCH, NOT_FOUND, OFF_TOPIC } from '../../functions/core/answer.ts';
import { detectLanguage } from '../../functions/core/language.ts';

describe('the language of a question', () => {
  test.each([
    ['Who is working on the ledger?', 'en'],
    ['When is task 12 due?', 'en'],
    ['What does "mañana" mean in the plan?', 'en'],
    ['Is José on the team?', 'en'],
    ['Which tasks does Lucía de la Fuente Núñez have?', 'en'],
    ['ledger', 'en'],
    ['', 'en'],
    ['12345 ???', 'en'],
    ['E-117', 'en'],
    ['O-5', 'en'],
    ['E117', 'en'],
    ['DE_LA-5', 'en'],
    ['E 117?', 'en'],
    ['¿Qué dice E-117?', 'es'],
    ['o que é O-5?', 'pt'],
    ['支払いはいつですか', 'en'],
    ['¿Quién tiene la tarea del libro mayor?', 'es'],
    ['quien tiene la tarea del libro mayor', 'es'],
    ['¿Cuándo vence la tarea 12?', 'es'],
    ['¿Cuándo vence?', 'es'],
    ['¿Qué?', 'es'],
    ['cual es el estado del sprint', 'es'],
    ['por que fallan los reembolsos en JPY', 'es'],
    ['Cuántas horas están estimadas para el proyecto', 'es'],
    ['wer ist verantwortlich?', 'de'],
    ['Wann ist Aufgabe 12 fällig?', 'de'],
    ['Warum wurde die Migration des Hauptbuchs verschoben?', 'de'],
    ['qui est responsable ?', 'fr'],
    ['Quand la tâche 12 est-elle due ?', 'fr'],
    ["Pourquoi l’erreur s'est-elle produite dans la nuit ?", 'fr'],
    ['quem é responsável?', 'pt'],
    ['Quando vence a tarefa 12?', 'pt'],
    ['Porque é que o projeto não foi concluído?', 'pt'],
    ['chi è il responsabile?', 'it'],
    ["Quando scade l'attività 12?", 'it'],
    ['Perché il progetto non è stato completato?', 'it'],
  ])('%j is %s', (text, language) => {
    expect(detectLanguage(text)).toBe(language);
  });

  test('is that of every question of the sample data', () => {
    const path = new URL('../../scripts/eval/sample-questions.json', import.meta.url);
    const questions: { question: string; language: string }[] = JSON.parse(readFileSync(path, 'utf8'));

    const wrong = questions.filter(({ question, language }) => detectLanguage(question) !== language);

    expect(questions.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });
});

describe('the language of a record is that of its sentences', () => {
  const fields =
    '[TASK #2] X\nStatus: todo | Priority: low | Sprint: none\nProject: none\nAssignee: Ana de la Peña Núñez\nDue: -\n';

  test.each([
    ['La bomba de la cafetera está rota. Una bomba nueva cuesta 89 euros.', 'es'],
    ['The pump of the coffee machine is broken. José Ibáñez says "la bomba está rota".', 'en'],
    ['Die Pumpe der Kaffeemaschine ist kaputt und wird nicht mehr hergestellt.', 'de'],
  ])('%j among fields in English', (text, language) => {
    expect(detectLanguage(`${fields}Description: ${text}`)).toBe(language);
  });

  test('a quotation does not decide', () => {
    const text = `${'The load is run at night, and the report of it is kept for a week. '.repeat(5)}¿Por qué está la carga en la noche?`;

    expect(detectLanguage(text)).toBe('en');
  });
});

test.each([
  ['off topic', OFF_TOPIC],
  ['not found', NOT_FOUND],
  ['another language', LANGUAGE_MISMATCH],
])('the sentence for %s is written in each language', (_, sentences) => {
  for (const [language, sentence] of Object.entries(sentences)) expect(detectLanguage(sentence)).toBe(language);
});
