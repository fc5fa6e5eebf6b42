import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A person of {@link LeakyServer}; the token is `token-<id>`. */
interface Person {
  id: number;
  role: 'developer' | 'manager';
}

interface Task {
  id: number;
  assigneeId: number;
  title: string;
  description: string;
  comments: string[];
}

/** A request that the server is about to answer. */
export interface Asked {
  person: Person;
  method: string;
  path: string;
  body: { question?: string; format?: string };
  /** How many requests there were before this one. */
  n: number;
}

/** What is about to be answered. */
export interface Answered {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/**
 * Stands in for a deployment with as little as the leak test calls, in which nothing leaks, but by `leak`: it is shown
 * each answer to somebody with the tasks that this person may not see.
 */
export class LeakyServer {
  leak: (answered: Answered, hidden: Task[], asked: Asked) => void | Promise<void> = () => {};
  /** Whom questions find something for. */
  finds: (person: Person) => boolean = () => true;
  readonly tasks = new Map<number, Task>();
  readonly #people: Person[];
  readonly #server: Server;
  readonly #log = new Map<string, { person: Person; answer: unknown }>();
  #requests = 0;

  constructor(people: Person[]) {
    this.#people = people;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** Listens on loopback; resolves to the address. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const text = Buffer.concat(parts).toString('utf8');
    const id = Number(/token-(\d+)/.exec(request.headers.authorization ?? '')?.[1]);
    const person = this.#people.find((one) => one.id === id);
    const path = request.url ?? '';
    let answered: Answered;
    if (path === '/v1/records') answered = this.#write(text);
    else if (person === undefined) answered = path.startsWith('/v1/sources/') ? this.#state(path) : problem(401);
    else {
      const asked = { person, method: request.method ?? '', path, body: parse(text), n: this.#requests++ };
      answered = this.#answer(asked);
      await this.leak(
        answered,
        [...this.tasks.values()].filter((task) => !maySee(person, task)),
        asked,
      );
    }
    response.writeHead(answered.status, { 'Content-Type': 'application/json', ...answered.headers });
    response.end(JSON.stringify(answered.body));
  }

  #write(lines: string): Answered {
    const results = lines.split('\n').map((line, i) => {
      const { op, type, id, taskId, data } = JSON.parse(line);
      if (type === 'comment') this.tasks.get(taskId)?.comments.push(data.text);
      else if (op === 'delete') this.tasks.delete(id);
      else this.tasks.set(id, { id, comments: [], ...data });
      return { line: i + 1, status: 202 };
    });
    return ok({ accepted: results.length, failed: 0, results });
  }

  /** Of a source, to the writing token. */
  #state(path: string): Answered {
    const id = Number(path.split('/').at(-1));
    return this.tasks.has(id) ? ok({ state: 'ready', chunkCount: 1 }) : problem(404);
  }

  #answer({ person, method, path, body, n }: Asked): Answered {
    const visible = [...this.tasks.values()].filter((task) => maySee(person, task));
    const [, , collection = '', ...rest] = path.split('?')[0]?.split('/') ?? [];
    const last = rest.at(-1) ?? '';
    const task = visible.find(({ id }) => String(id) === last);
    const callId = `call-${n}`;
    switch (`${method} ${collection}`) {
      case 'GET employees':
        return Number(last) === person.id || person.role === 'manager' ? this.#person(Number(last)) : problem(404);
      case 'GET gaps':
        return person.role === 'manager' ? ok({ gaps: [] }) : problem(403);
      case 'GET status':
        return ok({ chunks: visible.length });
      case 'GET tasks':
        return task === undefined ? problem(404) : ok({ ...task });
      case 'GET sources':
        return task === undefined ? problem(404) : ok({ state: 'ready', sourceId: last, text: textOf(task) });
      case 'GET questions': {
        const logged = this.#log.get(last);
        const isOwn = logged?.person === person || (logged !== undefined && person.role === 'manager');
        return isOwn ? ok({ callId: last, answer: logged.answer, sources: [] }) : problem(404);
      }
      case 'POST ask':
      case 'POST search': {
        if (body.question === undefined) return problem(400);
        const found = this.finds(person) ? visible.filter((one) => shares(body.question ?? '', one)) : [];
        const citations = found.map((one) => ({
          sourceType: 'task',
          sourceId: String(one.id),
          excerpt: textOf(one),
          distance: 0.5,
        }));
        if (collection === 'search') return ok({ outcome: 'found', citations, callId });
        const answer = found[0] === undefined ? 'Nothing.' : `${found[0].description} [1]`;
        this.#log.set(callId, { person, answer });
        return ok({ outcome: found.length > 0 ? 'answered' : 'not_found', answer, citations, callId });
      }
      default:
        return problem(404);
    }
  }

  #person(id: number): Answered {
    const found = this.#people.find((one) => one.id === id);
    return found === undefined ? problem(404) : ok({ id, role: found.role });
  }
}

const maySee = ({ id, role }: Person, task: Task) => role === 'manager' || task.assigneeId === id;
const textOf = ({ id, title, description, comments }: Task) =>
  [`[TASK #${id}] ${title}`, description, ...comments].join('\n');
const shares = (question: string, task: Task) =>
  (question.match(/[\p{L}\p{N}-]{6,}/gu) ?? []).some((word) => textOf(task).includes(word));
const ok = (body: Record<string, unknown>): Answered => ({ status: 200, headers: {}, body });
const problem = (status: number): Answered => ({
  status,
  headers: {},
  body: { status, code: `problem_${status}`, callId: 'x' },
});

function parse(text: string): Asked['body'] {
  try {
    return JSON.parse(text) as Asked['body'];
  } catch {
    return {};
  }
}
