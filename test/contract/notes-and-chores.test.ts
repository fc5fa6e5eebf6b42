import { expect, test } from 'vitest';
import { returnChore, takeChore } from '../../functions/store/chores.ts';
import { forgetObject, listNotes, lockNote, noteObject } from '../../functions/store/objects.ts';
import { forEachDatabase } from './databases.ts';

forEachDatabase('what is to be done later', (bench) => {
  const listed = async (after: string, limit: number) =>
    (await listNotes(bench.database, { minutes: 60, after, limit })).map(({ name }) => name);

  test('objects are noted once each, listed in the order of their bytes, and forgotten', async () => {
    await bench.database.transaction('system', async (tx) => {
      for (const name of ['documents/é/2', 'documents/B/1', 'documents/a/1', 'documents/B/1'])
        await noteObject(tx, name);
    });

    expect(await listed('', 2)).toEqual(['documents/B/1', 'documents/a/1']);
    expect(await listed('documents/a/1', 2)).toEqual(['documents/é/2']);

    await bench.database.transaction('system', (tx) => forgetObject(tx, 'documents/a/1'));
    expect(await listed('', 10)).toEqual(['documents/B/1', 'documents/é/2']);
  });

  test('the note of an object is as old as the last time that it was noted', async () => {
    const isOlder = (minutes: number) =>
      bench.database.transaction('system', (tx) => lockNote(tx, 'documents/a/1', minutes));
    const note = () => bench.database.transaction('system', (tx) => noteObject(tx, 'documents/a/1'));
    expect(await isOlder(0)).toBe(false);

    await note();
    await bench.database.execute('system', "UPDATE object_note SET noted_at = noted_at - INTERVAL '2' HOUR");
    expect([await isOlder(60), await isOlder(180)]).toEqual([true, false]);
    expect(await listNotes(bench.database, { minutes: 60, after: '', limit: 1 })).toMatchObject([{ isOld: true }]);

    await note();
    expect([await isOlder(0), await isOlder(60)]).toEqual([true, false]);
    expect(await listNotes(bench.database, { minutes: 60, after: '', limit: 1 })).toMatchObject([{ isOld: false }]);
  });

  test('a chore is taken once in its time, or again where it is given back', async () => {
    const take = () => takeChore(bench.database, 'reconcile', 60);
    expect([await take(), await take()]).toEqual([true, false]);

    await returnChore(bench.database, 'reconcile');
    expect([await take(), await take()]).toEqual([true, false]);

    await bench.database.execute('system', "UPDATE rag_chore SET done_at = done_at - INTERVAL '2' HOUR");
    expect([await take(), await take()]).toEqual([true, false]);
  });
});
