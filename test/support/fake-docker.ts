import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the fake answers: as Docker where all is well, or where something is not. */
export type DockerRole =
  | 'well'
  | 'published'
  | 'stopped'
  | 'forbidden'
  | 'without-compose'
  | 'unhealthy'
  | 'not-created'
  | 'stuck';

/** `docker` as a shell script, whose words are those of the real one (28.2). */
const SCRIPT = `#!/bin/sh
echo "$*" >> "$FAKE_DOCKER_LOG"
role="$FAKE_DOCKER_ROLE"
case "$*" in
  version*)
    [ "$role" = stopped ] && { echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?' >&2; exit 1; }
    [ "$role" = forbidden ] && { echo 'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock' >&2; exit 1; }
    echo 28.2.2 ;;
  'compose version')
    [ "$role" = without-compose ] && { echo 'docker: unknown command: docker compose' >&2; exit 1; }
    echo 'Docker Compose version v2.36.2' ;;
  *' port oracle 1521')
    [ "$role" = published ] && { echo "127.0.0.1:$ORACLE_PORT"; exit 0; }
    echo 'service "oracle" is not running' >&2; exit 1 ;;
  *' up '*) [ "$role" = unhealthy ] || [ "$role" = not-created ] && exit 1 ;;
  *' ps '*) [ "$role" = unhealthy ] && echo 3f2a9c1d ;;
  *' down'*) [ "$role" = stuck ] && exit 1 ;;
esac
exit 0
`;

/** A folder for the PATH that holds nothing but a `docker` which plays a role. */
export class FakeDocker {
  readonly env: Record<string, string>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'oci-rag-docker-'));

  constructor(role: DockerRole) {
    const path = join(this.#folder, 'docker');
    writeFileSync(path, SCRIPT);
    chmodSync(path, 0o755);
    this.env = {
      PATH: `${this.#folder}:${process.env.PATH ?? ''}`,
      FAKE_DOCKER_ROLE: role,
      FAKE_DOCKER_LOG: join(this.#folder, 'log'),
    };
  }

  /** What it was called with, one call each; the file's path left out. */
  get calls(): string[] {
    const log = readFileSync(this.env.FAKE_DOCKER_LOG ?? '', { encoding: 'utf8', flag: 'a+' });
    return log
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(/--file \S+/, '--file compose.yaml'));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
