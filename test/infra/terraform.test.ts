import { mkdtemp, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENV, synth } from '../support/synth.ts';
import { canRunTerraform, withTerraform } from '../support/terraform/terraform.ts';

/** What Terraform reads of a deployment. */
const configuration = async (env: Record<string, string> = {}, modelFolder?: string) =>
  JSON.parse((await synth({ ...ENV, ...env }, {}, modelFolder)).text);

// Real Terraform, and a stand-in of the provider with the real one's schema, where both are at hand.
describe.skipIf(!canRunTerraform)('Terraform with the synthesized deployment', { timeout: 120_000 }, () => {
  it('accepts it, applies it, finds no change afterwards, keeps no secret, and leaves nothing', async () => {
    const calls: { name: string; body: string }[] = [];
    const options = {
      invoke: (name: string, body: string) => {
        calls.push({ name, body });
        return '{}';
      },
    };
    await withTerraform(
      await configuration(),
      async (tf) => {
        expect(await tf.validate()).toMatchObject({ exitCode: 0 });
        const first = await tf.plan();
        expect(new Set(Object.values(first.changes))).toEqual(new Set(['create']));
        expect(await tf.apply()).toMatchObject({ exitCode: 0 });
        expect((await tf.plan()).changes).toEqual({});

        const state = JSON.stringify(await tf.state());
        for (const password of tf.canaries().passwords) expect(state).not.toContain(password);
        expect(tf.canaries().passwords.length).toBe(3);
        const outputs = JSON.stringify((await tf.state()).outputs);
        const configs = JSON.stringify(
          tf.journal.filter(({ type }) => /function$|application$/.test(type)).map(({ config }) => config.config),
        );
        for (const link of tf.canaries().links) {
          expect(outputs).not.toContain(link);
          expect(configs).not.toContain(link);
        }

        const application = tf.journal.find(({ type }) => type === 'oci_functions_application');
        const config = application?.config.config as Record<string, string> | undefined;
        expect(config?.RAG_DATABASE).toMatch(/^oracle:\(description=.*port=1521.*_low/s);

        expect(calls.map(({ name }) => name)).toEqual(['bootstrap']);
        const at = (type: string) => tf.journal.findIndex((entry) => entry.type === type);
        expect(at('oci_functions_invoke_function')).toBeGreaterThan(at('oci_identity_policy'));
        expect(at('oci_apigateway_deployment')).toBeGreaterThan(at('oci_functions_invoke_function'));

        expect(await tf.destroy()).toMatchObject({ exitCode: 0 });
        expect((await tf.state()).resources).toEqual([]);
        expect(tf.cloud.resources).toEqual([]);
      },
      options,
    );
  });

  it('invokes bootstrap again for a new image, and replaces nothing that holds data', async () => {
    const names: string[] = [];
    await withTerraform(
      await configuration(),
      async (tf) => {
        await tf.apply();
        await tf.use(await configuration({ FUNCTION_IMAGE: 'eu-frankfurt-1.ocir.io/space/oci-rag:2' }));
        const { changes } = await tf.plan();
        expect(Object.entries(changes).filter(([, change]) => change !== 'update')).toEqual([
          [expect.stringMatching(/^oci_functions_invoke_function\./), 'delete,create'],
        ]);
        expect(await tf.apply()).toMatchObject({ exitCode: 0 });
        expect(names).toEqual(['bootstrap', 'bootstrap']);
        expect((await tf.plan()).changes).toEqual({});
      },
      { invoke: (name) => `${names.push(name)}` },
    );
  });

  it('sends the model once, whatever becomes of the file’s time and place, and makes a new link when asked', async () => {
    const folders = [];
    for (const place of ['a', 'b']) {
      const folder = await mkdtemp(join(tmpdir(), `oci-rag-model-${place}-`));
      await writeFile(join(folder, 'all_MiniLM_L12_v2.onnx'), 'onnx');
      folders.push(folder);
    }
    const [one = '', two = ''] = folders;
    await withTerraform(await configuration({}, one), async (tf) => {
      expect(await tf.apply()).toMatchObject({ exitCode: 0 });
      await utimes(join(one, 'all_MiniLM_L12_v2.onnx'), 1, 1);
      expect((await tf.plan()).changes).toEqual({});
      await tf.use(await configuration({}, two));
      expect((await tf.plan()).changes).toEqual({});
      await tf.use(await configuration({ DEPLOY_MODEL_LINK: '2' }, two));
      const { changes } = await tf.plan();
      const kinds = Object.entries(changes).map(([address, change]) => `${address.split('.')[0]} ${change}`);
      expect(kinds.sort()).toEqual([
        'oci_functions_function update',
        'oci_functions_invoke_function delete,create',
        'oci_objectstorage_preauthrequest delete,create',
      ]);
    });
  });

  it('fails where bootstrap fails, says so, and goes on from there', async () => {
    let isBroken = true;
    const invoke = () => {
      if (isBroken) throw new Error('the secret cannot be read');
      return '{}';
    };
    await withTerraform(
      await configuration(),
      async (tf) => {
        expect((await tf.apply()).exitCode).not.toBe(0);
        isBroken = false;
        expect(await tf.apply()).toMatchObject({ exitCode: 0 });
        expect((await tf.plan()).changes).toEqual({});
      },
      { invoke },
    );
  });

  it('keeps the data alone where that is asked for, and all comes back', async () => {
    await withTerraform(await configuration(), async (tf) => {
      await tf.apply();
      const database = tf.cloud.find('oci_database_autonomous_database', () => true);
      await tf.use(await configuration({ DEPLOY_KEEP: 'data', DEPLOY_PREVENT_DESTROY: 'true' }));
      expect(await tf.apply()).toMatchObject({ exitCode: 0 });
      expect(tf.cloud.find('oci_functions_function', () => true)).toBeUndefined();
      expect(tf.cloud.find('oci_database_autonomous_database', () => true)).toEqual(database);
      await tf.use(await configuration());
      expect(await tf.apply()).toMatchObject({ exitCode: 0 });
      expect((await tf.plan()).changes).toEqual({});
    });
  });
});
