import { chmodSync, linkSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OracleContainer } from '../../scripts/dev/oracle/container.ts';
import { waitForLogin } from '../../scripts/dev/oracle/login.ts';
import { checkModelFile } from '../../scripts/dev/oracle/model-file.ts';
import { requireReadable } from '../../scripts/dev/oracle/readable.ts';
import { readContainerSettings, stackSettings } from '../../scripts/dev/oracle/settings.ts';
import { checkSettings } from '../../scripts/dev/stack.ts';
import { MODEL_BYTES, MODEL_FILE } from '../../scripts/model/model-file.ts';
import { UserError } from '../../scripts/user-error.ts';
import { type DockerRole, FakeDocker } from '../support/fake-docker.ts';

const SETTINGS = { port: 1521, password: 'a_password' };

/** What a person is told. */
const told = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    const { message } = error as Error;
    expect(message).not.toContain('\n');
    return message;
  }
  return 'nothing';
};

function playing(role: DockerRole, settings = SETTINGS) {
  const docker = new FakeDocker(role);
  onTestFinished(() => docker.remove());
  return { docker, container: new OracleContainer(settings, docker.env, 'ignore') };
}

async function takenPort(): Promise<number> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('Docker', () => {
  test('that is there and runs is asked for nothing more', async () => {
    const { docker, container } = playing('well');
    expect(await told(() => container.requireDocker())).toBe('nothing');
    expect(docker.calls).toEqual(['version --format {{.Server.Version}}', 'compose version']);
  });

  test('that is not there is told, with what needs none', async () => {
    const container = new OracleContainer(SETTINGS, { PATH: '/nowhere' }, 'ignore');
    expect(await told(() => container.requireDocker())).toBe(
      'There is no `docker` on the PATH; install Docker, or use `npm start`, which needs none',
    );
  });

  test.each([
    ['stopped', /^Docker does not run; start Docker Desktop, or the docker service/],
    ['forbidden', /^Docker runs, but this user may not use it; see "Manage Docker as a non-root user"/],
    ['without-compose', /^This Docker has no `docker compose`; install its Compose plugin$/],
  ] as const)('that is %s is told, with what mends it', async (role, message) => {
    expect(await told(() => playing(role).container.requireDocker())).toMatch(message);
  });
});

describe('the container', () => {
  test('is started and waited for, with port and password as in the settings', async () => {
    const port = await freePort();
    const { docker, container } = playing('well', { ...SETTINGS, port });
    expect(await told(() => container.start())).toBe('nothing');
    expect(docker.calls).toEqual([
      'compose --file compose.yaml port oracle 1521',
      'compose --file compose.yaml up --detach --wait oracle',
    ]);
  });

  test('is not started where its port is taken: the port is named, and the way to another', async () => {
    const port = await takenPort();
    const { docker, container } = playing('well', { ...SETTINGS, port });
    expect(await told(() => container.start())).toBe(
      `Port ${port}, for the database, is in use; stop what uses it, or name another: ` +
        `ORACLE_PORT=${port + 1} npm run start:oracle`,
    );
    expect(docker.calls.join()).not.toContain(' up ');
  });

  test('that runs already has the port itself', async () => {
    const { docker, container } = playing('published', { ...SETTINGS, port: await takenPort() });
    expect(await told(() => container.start())).toBe('nothing');
    expect(docker.calls.at(-1)).toContain(' up ');
  });

  test.each([
    ['unhealthy', /did not become healthy; `docker compose logs oracle` says why\..* -- --reset$/],
    ['not-created', /^Docker could not make the database's container; its own message is above$/],
  ] as const)('that is %s is told, with where more is said', async (role, message) => {
    const { container } = playing(role, { ...SETTINGS, port: await freePort() });
    expect(await told(() => container.start())).toMatch(message);
  });

  test.each([
    [false, 'compose --file compose.yaml down'],
    [true, 'compose --file compose.yaml down --volumes'],
  ])('is stopped, and its data removed: %s', async (volume, call) => {
    const { docker, container } = playing('well');
    expect(await told(() => container.stop(volume))).toBe('nothing');
    expect(docker.calls).toEqual([call]);
    expect(await told(() => playing('stuck').container.stop(volume))).toContain('could not stop');
  });
});

describe('the login', () => {
  const refused = Object.assign(new Error('refused'), { code: 'NJS-518' });

  test('is tried again while the listener does not know the database yet', async () => {
    let left = 1;
    const attempt = async () => {
      if (left-- > 0) throw refused;
    };
    expect(await told(() => waitForLogin(SETTINGS, 5000, attempt))).toBe('nothing');
    expect(left).toBe(-1);
  });

  test('that never succeeds is told with its cause and the way to the log', async () => {
    const attempt = () => Promise.reject(refused);
    expect(await told(() => waitForLogin(SETTINGS, -1, attempt))).toMatch(
      /does not answer at localhost:1521\/FREEPDB1 \(NJS-518: .*\); `docker compose logs oracle` may say why$/,
    );
  });

  test('with another password than the volume’s is told at once, with three ways out', async () => {
    const wrong = Object.assign(new Error('ORA-01017: a_password'), { code: 'ORA-01017', errorNum: 1017 });
    const message = await told(() => waitForLogin(SETTINGS, 60_000, () => Promise.reject(wrong)));
    expect(message).toMatch(/^ORACLE_PASSWORD is not the password .*resetPassword <password>; .*--reset$/);
    expect(message).not.toContain('a_password');
  });

  test('with the real driver, where nothing listens, says so', async () => {
    const port = await freePort();
    expect(await told(() => waitForLogin({ ...SETTINGS, port }, -1))).toMatch(/NJS-503: nothing listens/);
  });
});

describe('the model’s file', () => {
  function models(): string {
    const folder = mkdtempSync(join(tmpdir(), 'oci-rag-models-'));
    chmodSync(folder, 0o755);
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  function write(folder: string, bytes: number, mode = 0o644): string {
    const path = join(folder, MODEL_FILE);
    writeFileSync(path, '');
    // Without a block on the disk.
    truncateSync(path, bytes);
    chmodSync(path, mode);
    return path;
  }

  const PAGE = /npm run model:fetch brings it there; .* the page "Import Pretrained Models in ONNX Format"/;

  test('is taken where it is whole', async () => {
    const folder = models();
    write(folder, MODEL_BYTES);
    expect(await told(() => checkModelFile(folder))).toBe('nothing');
  });

  test('that is missing is told by its path and size, with the page that has it, and no address', async () => {
    const folder = models();
    const message = await told(() => checkModelFile(folder));
    expect(message).toMatch(/^The embedding model .*all_MiniLM_L12_v2\.onnx \(133,322,334 bytes\) is missing\./);
    expect(message).toMatch(PAGE);
    expect(message).toContain(folder);
    expect(message).not.toMatch(/https?:/);
    expect(await told(() => checkModelFile(join(folder, 'nowhere')))).toContain('is missing');
  });

  test.each([0, 122_597_346, MODEL_BYTES + 1])('of another size (%d bytes) is told with both sizes', async (bytes) => {
    const folder = models();
    write(folder, bytes);
    const message = await told(() => checkModelFile(folder));
    expect(message).toContain(`${bytes.toLocaleString('en')} bytes, but the embedding model has 133,322,334`);
    expect(message).toMatch(PAGE);
  });

  test('that is a link is refused, since the container does not see what it points to; a hard link is a file', async () => {
    const [folder, other] = [models(), models()];
    const path = write(other, MODEL_BYTES);
    symlinkSync(path, join(folder, MODEL_FILE));
    expect(await told(() => checkModelFile(folder))).toContain('put the file itself there');
    rmSync(join(folder, MODEL_FILE));
    linkSync(path, join(folder, MODEL_FILE));
    expect(await told(() => checkModelFile(folder))).toBe('nothing');
  });

  test.each([
    ['the file', 0o755, 0o600],
    ['the folder', 0o700, 0o644],
  ])('that the container’s user may not read, for %s, is told with the command', async (_, ofFolder, ofFile) => {
    const folder = models();
    write(folder, MODEL_BYTES, ofFile);
    chmodSync(folder, ofFolder);
    expect(await told(() => requireReadable(folder, [MODEL_FILE], 'linux'))).toBe(
      `The container's user may not read ${folder}; allow it: chmod -R a+rX ${folder}`,
    );
    expect(await told(() => requireReadable(folder, [MODEL_FILE], 'darwin'))).toBe('nothing');
  });
});

describe('the settings', () => {
  test('of the container come from the environment, an empty variable counting as none', () => {
    expect(readContainerSettings({})).toEqual({ port: 1521, password: 'oci_rag_local' });
    expect(readContainerSettings({ ORACLE_PORT: '', ORACLE_PASSWORD: '' })).toEqual(readContainerSettings({}));
    expect(readContainerSettings({ ORACLE_PORT: '1599', ORACLE_PASSWORD: 'Another-1.x' })).toEqual({
      port: 1599,
      password: 'Another-1.x',
    });
  });

  test.each(['0', '65536', 'x', '1521 ', '-1', '1e3'])('refuse the port %j', async (ORACLE_PORT) => {
    expect(await told(() => readContainerSettings({ ORACLE_PORT }))).toContain('ORACLE_PORT must be a whole number');
  });

  test.each(['short', 'with "quotes"', "it's-one", 'a&b-c-d-e', 'dollar$PATH', 'line\nbreak-', 'x'.repeat(31)])(
    'refuse the password %j, and do not show it',
    async (ORACLE_PASSWORD) => {
      const message = await told(() => readContainerSettings({ ORACLE_PASSWORD }));
      expect(message).toMatch(/^ORACLE_PASSWORD must have 8 to 30 characters/);
      expect(message).not.toContain(ORACLE_PASSWORD);
    },
  );

  test('of the product name the container’s database, its administrator and the model in it, and pass its own check', () => {
    const settings = stackSettings({ port: 1599, password: 'a_password' });
    expect(settings).toEqual({
      RAG_DATABASE: 'oracle:localhost:1599/FREEPDB1',
      RAG_DATABASE_PASSWORD: 'a_password',
      RAG_DATABASE_OWNER_PASSWORD: 'a_password',
      RAG_DATABASE_ADMIN_USER: 'SYSTEM',
      RAG_DATABASE_ADMIN_PASSWORD: 'a_password',
      RAG_EMBEDDING_URL: 'database',
      RAG_EMBEDDING_MODEL: 'ALL_MINILM_L12_V2',
      RAG_EMBEDDING_DIMENSION: '384',
      RAG_EMBEDDING_WINDOW: '600',
      RAG_EMBEDDING_MODEL_SOURCE: 'RAG_MODELS:all_MiniLM_L12_v2.onnx',
      RAG_RETRIEVAL_CUTOFF: '0.8',
    });
    expect(() => checkSettings(settings)).not.toThrow();
  });
});
