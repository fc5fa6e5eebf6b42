import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { GenerativeAiChatModel } from '../../functions/adapters/oci/chat-model.ts';
import { OpenAiChatModel } from '../../functions/adapters/openai/chat-model.ts';
import { AnswerModelUnavailable } from '../../functions/core/errors.ts';
import { type Clock, MAX_RETRY_AFTER_SECONDS } from '../../functions/core/model-call.ts';
import type { ChatModel, ChatPrompt } from '../../functions/ports/chat-model.ts';
import { generativeAiServer, PRINCIPAL } from '../support/generative-ai-server.ts';
import { type ModelReply, type ModelRequest, ModelServer } from '../support/model-server.ts';

const COMPARTMENT = 'ocid1.compartment.oc1..c';
const API_KEY = 'sk-or-v1-0123456789abcdef';
const SECRET = 'The canary of Ana Torres is 4711-heliotrope.';

const PROMPT: ChatPrompt = {
  instructions: 'Answer from the sources.',
  turns: [
    { role: 'user', text: 'Who leads sprint 4?' },
    { role: 'assistant', text: 'Ana Torres [1]' },
    { role: 'user', text: `[1] ${SECRET}\nAnd sprint 5?` },
  ],
};

interface Said {
  text: string;
  reason: string;
  usage?: [number, number];
}

interface Flavour {
  name: string;
  model: string;
  reasons: { complete: string; cutOff: string; withheld: string };
  body(said: Said): object;
  /** Nothing at all where a text should be. */
  emptyBody: object;
  refusalBody(code: string, message: string): object;
}

const oci = (chatResponse: object) => ({ modelId: 'm', modelVersion: '1', chatResponse });
const ociRefusal = (code: string, message: string) => ({ code, message });
const ociUsage = (usage: [number, number] | undefined) =>
  usage && { usage: { promptTokens: usage[0], completionTokens: usage[1], totalTokens: usage[0] + usage[1] } };

const generic = (content: object[] | null, finishReason: string, more: object = {}) => ({
  apiFormat: 'GENERIC',
  timeCreated: '2026-11-30T08:00:00Z',
  choices: [{ index: 0, message: { role: 'ASSISTANT', content, ...more }, finishReason }],
});
const completion = (message: object, finish_reason: string) => ({
  id: 'x',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
});

const FLAVOURS: Flavour[] = [
  {
    name: 'COHERE',
    model: 'cohere.command-a-03-2025',
    reasons: { complete: 'COMPLETE', cutOff: 'MAX_TOKENS', withheld: 'ERROR_TOXIC' },
    body: ({ text, reason, usage }) =>
      oci({ apiFormat: 'COHERE', text, finishReason: reason, chatHistory: [], ...ociUsage(usage) }),
    emptyBody: oci({ apiFormat: 'COHERE', text: '', finishReason: 'COMPLETE' }),
    refusalBody: ociRefusal,
  },
  {
    name: 'COHEREV2',
    model: 'cohere.command-a-reasoning-08-2025',
    // It has no word for what is withheld but an error of the service; this one is Cohere's own.
    reasons: { complete: 'COMPLETE', cutOff: 'MAX_TOKENS', withheld: 'ERROR_TOXIC' },
    body: ({ text, reason, usage }) =>
      oci({
        apiFormat: 'COHEREV2',
        id: 'x',
        message: {
          role: 'ASSISTANT',
          content: [
            { type: 'THINKING', thinking: 'Hm.' },
            { type: 'TEXT', text },
          ],
        },
        finishReason: reason,
        ...ociUsage(usage),
      }),
    emptyBody: oci({
      apiFormat: 'COHEREV2',
      id: 'x',
      message: { role: 'ASSISTANT', content: [] },
      finishReason: 'COMPLETE',
    }),
    refusalBody: ociRefusal,
  },
  {
    name: 'GENERIC',
    model: 'meta.llama-3.3-70b-instruct',
    reasons: { complete: 'stop', cutOff: 'length', withheld: 'content_filter' },
    body: ({ text, reason, usage }) => oci({ ...generic([{ type: 'TEXT', text }], reason), ...ociUsage(usage) }),
    emptyBody: oci(generic(null, 'stop')),
    refusalBody: ociRefusal,
  },
  {
    name: 'OpenAI',
    model: 'meta-llama/llama-3.3-70b-instruct',
    reasons: { complete: 'stop', cutOff: 'length', withheld: 'content_filter' },
    body: ({ text, reason, usage }) => ({
      ...completion({ content: text }, reason),
      ...(usage && { usage: { prompt_tokens: usage[0], completion_tokens: usage[1] } }),
    }),
    emptyBody: completion({ content: null }, 'stop'),
    refusalBody: (code, message) => ({ error: { code, message, type: code } }),
  },
];

/** The fields of OpenAI's API that are sent, by their types; `messages` beside them. */
const OPENAI_FIELDS: Record<string, string> = {
  model: 'string',
  messages: 'object',
  temperature: 'number',
  max_tokens: 'number',
  max_completion_tokens: 'number',
  stream: 'boolean',
};

function openAiFaults({ method, url, headers, body }: ModelRequest): string[] {
  if (method !== 'POST' || url !== '/v1/chat/completions') return [`${method} ${url} is no operation`];
  const given = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  const roles = (given.messages as { role: string; content: unknown }[]).map(({ role, content }) =>
    typeof content === 'string' ? role : `${role} without text`,
  );
  return [
    ...Object.entries(given)
      .filter(([name, value]) => typeof value !== OPENAI_FIELDS[name])
      .map(([name]) => `${name} is no field`),
    ...(headers['content-type'] === 'application/json' ? [] : ['is not said to be JSON']),
    ...roles.filter((role) => !['system', 'user', 'assistant'].includes(role)),
  ];
}

let server: ModelServer;
let slept: number[];

beforeEach(() => {
  // The SDK tells each failure there, as an object without its fields.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  slept = [];
});
afterEach(() => {
  server.close();
  expect(server.faults).toEqual([]);
  expect(JSON.stringify(vi.mocked(console.warn).mock.calls)).not.toContain('heliotrope');
});

const clock: Clock = { now: Date.now, sleep: async (ms) => void slept.push(ms), random: () => 0 };

interface Making {
  model?: string;
  timeoutMs?: number;
  key?: string;
}

/** A model of a flavour, and its server. */
async function start({ name, model }: Flavour, making: Making = {}): Promise<ChatModel> {
  const isOpenAi = name === 'OpenAI';
  server = isOpenAi ? new ModelServer(openAiFaults) : generativeAiServer();
  await server.listen();
  const options = { model, clock, ...making };
  if (isOpenAi) {
    const apiKey = async () => making.key ?? API_KEY;
    return new OpenAiChatModel({ ...options, url: `${server.url}/v1/`, apiKey, compartmentId: '' });
  }
  return new GenerativeAiChatModel({
    ...options,
    region: 'us-chicago-1',
    endpoint: server.url,
    compartmentId: COMPARTMENT,
    principal: PRINCIPAL,
  });
}

const OPTIONS = { maxTokens: 600, deadline: null };
const ask = (chat: ChatModel) => chat.complete(PROMPT, OPTIONS);

async function refusalOf(chat: ChatModel, deadline: Date | null = null): Promise<AnswerModelUnavailable> {
  const error = await chat.complete(PROMPT, { ...OPTIONS, deadline }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AnswerModelUnavailable);
  const refusal = error as AnswerModelUnavailable;
  expect(refusal.message).toBe('The answering model is not available now');
  const logged = causesOf(refusal).join('\n');
  expect(logged).not.toContain('heliotrope');
  expect(logged).not.toContain(API_KEY);
  return refusal;
}

function causesOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...causesOf(error.cause)] : [];
}

describe.each(FLAVOURS)('$name', (flavour) => {
  const { body, emptyBody, refusalBody, reasons } = flavour;
  const good = { body: body({ text: 'Ben leads it [1].', reason: reasons.complete, usage: [120, 9] }) };
  const refused = (status: number, headers: Record<string, string> = {}): ModelReply => ({
    status,
    headers,
    body: refusalBody('SomeCode', 'not now'),
  });

  test('answers, with its tokens', async () => {
    const chat = await start(flavour);
    server.replies = [good];

    expect(chat.model).toBe(flavour.model);
    expect(await ask(chat)).toEqual({
      text: 'Ben leads it [1].',
      finish: 'complete',
      tokens: { prompt: 120, completion: 9 },
      retirement: null,
    });
    expect(server.asked).toHaveLength(1);
  });

  test.each<[string, ModelReply[], object]>([
    [
      'an over-long answer is cut off',
      [{ body: body({ text: 'Ben lea', reason: reasons.cutOff }) }],
      { finish: 'cut_off' },
    ],
    ['an empty answer is one', [{ body: emptyBody }], { text: '', finish: 'complete' }],
    [
      'an unsafe answer is withheld, with its text',
      [{ body: body({ text: 'Ben', reason: reasons.withheld }) }],
      { text: 'Ben', finish: 'withheld' },
    ],
    [
      'what the filter stops before the model is withheld',
      [{ status: 400, body: refusalBody('400', 'Inappropriate content detected, see content_filter') }],
      { text: '', finish: 'withheld', tokens: null },
    ],
    [
      'thoughts in the text are left out',
      [{ body: body({ text: '<think>\nHm.\n</think>\n\nBen [1].', reason: reasons.complete }) }],
      { text: 'Ben [1].' },
    ],
    ['an answer without tokens', [{ body: body({ text: 'Ben', reason: reasons.complete }) }], { tokens: null }],
    [
      'the retirement of the model is told',
      [{ ...good, headers: { 'model-deprecation-info': 'on 2027-01-31' } }],
      { retirement: 'on 2027-01-31' },
    ],
  ])('%s', async (_, replies, expected) => {
    const chat = await start(flavour);
    server.replies = replies;

    expect(await ask(chat)).toMatchObject(expected);
    expect(server.asked).toHaveLength(1);
  });

  test.each<[string, ModelReply, number[]]>([
    ['throttled for 2 seconds', refused(429, { 'retry-after': '2' }), [2000]],
    ['throttled for a time that is not told', refused(429), [1000]],
    ['broken (500)', refused(500), [200]],
    ['broken (502)', refused(502), [200]],
    ['away (503)', refused(503), [200]],
  ])('%s, it is asked once more', async (_, first, pauses) => {
    const chat = await start(flavour);
    server.replies = [first, good];

    expect((await ask(chat)).text).toBe('Ben leads it [1].');
    expect(slept).toEqual(pauses);
    expect(server.asked).toHaveLength(2);
  });

  test.each<[string, ModelReply, { tries: number; retryAfterSeconds: number }]>([
    ['throttled for ever', refused(429, { 'retry-after': '2' }), { tries: 2, retryAfterSeconds: 2 }],
    [
      'throttled for 10 minutes',
      refused(429, { 'retry-after': '600' }),
      { tries: 1, retryAfterSeconds: MAX_RETRY_AFTER_SECONDS },
    ],
    ['broken for ever', refused(500), { tries: 2, retryAfterSeconds: 5 }],
    ['too slow for its gateway', refused(504), { tries: 1, retryAfterSeconds: 5 }],
    ['not to be used', refused(403), { tries: 1, retryAfterSeconds: 60 }],
    ['a body that ends early', { cutAfter: '{"choices":[{"mess' }, { tries: 1, retryAfterSeconds: 2 }],
    ['a body that is not JSON', { text: `<html>${SECRET}` }, { tries: 1, retryAfterSeconds: 2 }],
    ['a body of another shape', { body: { answer: 'Ben' } }, { tries: 1, retryAfterSeconds: 2 }],
    ['a model that fails amid it', { body: body({ text: 'B', reason: 'ERROR' }) }, { tries: 1, retryAfterSeconds: 2 }],
  ])('%s is AnswerModelUnavailable', async (_, reply, { tries, retryAfterSeconds }) => {
    const chat = await start(flavour);
    server.replies = [reply];

    expect((await refusalOf(chat)).retryAfterSeconds).toBe(retryAfterSeconds);
    expect(server.asked).toHaveLength(tries);
  });

  test('a server that hangs is waited for no longer than the time limit', async () => {
    const chat = await start(flavour, { timeoutMs: 150 });
    server.replies = ['hang'];

    expect(causesOf(await refusalOf(chat)).join()).toContain('no answer in time');
    expect(server.asked).toHaveLength(1);
  });

  test('a deadline that is near ends the call before the time limit, and leaves time for the sources', async () => {
    const chat = await start(flavour);
    server.replies = ['hang'];

    const refusal = await refusalOf(chat, new Date(Date.now() + 1800));
    expect(causesOf(refusal).join()).toContain('no answer in time');
  });

  test('a deadline that has nearly passed leaves no call', async () => {
    const chat = await start(flavour);

    await refusalOf(chat, new Date(Date.now() + 100));
    expect(server.asked).toHaveLength(0);
  });

  test('a server that is not there is AnswerModelUnavailable', async () => {
    const chat = await start(flavour);
    server.close();

    expect(causesOf(await refusalOf(chat)).join()).toContain('not reached');
  });

  test.each([
    [401, /RAG_ANSWER_(REGION|API_KEY)/],
    [403, /RAG_ANSWER_(COMPARTMENT|API_KEY)/],
    [404, /RAG_ANSWER_MODEL/],
  ])('a refusal (%d) tells an operator what to mend, and a caller nothing of it', async (status, remedy) => {
    const chat = await start(flavour);
    server.replies = [refused(status)];

    expect(causesOf(await refusalOf(chat))[1]).toMatch(remedy);
    expect(causesOf(await refusalOf(chat))[1]).toContain(`${status} SomeCode: not now`);
  });

  test('a refusal that quotes the prompt is not repeated in the log', async () => {
    const chat = await start(flavour);
    server.replies = [{ status: 422, body: refusalBody('Invalid', `bad input: ${SECRET}`) }];

    expect(causesOf(await refusalOf(chat)).join()).toContain('it quotes what was sent');
  });
});

test('a body without end is cut off at 4 MB', async () => {
  const openAi = FLAVOURS.find(({ name }) => name === 'OpenAI') as Flavour;
  const chat = await start(openAi);
  // It would be an answer: only its length is against it.
  const reply = { body: openAi.body({ text: 'x'.repeat(5_000_000), reason: 'stop' }) };
  server.replies = [reply];

  expect(causesOf(await refusalOf(chat)).join()).toContain('longer than 4 MB');
  expect(server.asked).toHaveLength(1);
});

describe('what OCI is asked', () => {
  const flavourOf = (name: string) => FLAVOURS.find((each) => each.name === name) as Flavour;

  async function requestOf(name: string, model = flavourOf(name).model): Promise<Record<string, unknown>> {
    const flavour = flavourOf(name);
    const chat = await start({ ...flavour, model });
    server.replies = [{ body: flavour.body({ text: 'x', reason: flavour.reasons.complete }) }];
    await ask(chat);
    const { compartmentId, servingMode, chatRequest } = server.body();
    expect({ compartmentId, servingMode }).toEqual({
      compartmentId: COMPARTMENT,
      servingMode: { servingType: 'ON_DEMAND', modelId: model },
    });
    return chatRequest as Record<string, unknown>;
  }

  const [first, second, last] = PROMPT.turns.map(({ text }) => text);
  const part = (text: string | undefined) => [{ type: 'TEXT', text }];
  const messages = [
    { role: 'SYSTEM', content: part(PROMPT.instructions) },
    { role: 'USER', content: part(first) },
    { role: 'ASSISTANT', content: part(second) },
    { role: 'USER', content: part(last) },
  ];

  test('in COHERE: a preamble, what was said, and the last message', async () => {
    expect(await requestOf('COHERE')).toEqual({
      apiFormat: 'COHERE',
      preambleOverride: PROMPT.instructions,
      chatHistory: [
        { role: 'USER', message: first },
        { role: 'CHATBOT', message: second },
      ],
      message: last,
      maxTokens: 600,
      temperature: 0,
      isStream: false,
    });
  });

  test('in COHEREV2: messages, and no thoughts', async () => {
    expect(await requestOf('COHEREV2')).toEqual({
      apiFormat: 'COHEREV2',
      messages,
      maxTokens: 600,
      temperature: 0,
      isStream: false,
      thinking: { type: 'DISABLED' },
    });
  });

  test('in GENERIC: messages', async () => {
    expect(await requestOf('GENERIC')).toEqual({
      apiFormat: 'GENERIC',
      messages,
      maxTokens: 600,
      temperature: 0,
      isStream: false,
    });
  });

  test.each([
    ['openai.gpt-oss-120b', { maxCompletionTokens: 2600, temperature: 0 }],
    ['openai.gpt-5.4-mini', { maxCompletionTokens: 2600 }],
    ['openai.o3', { maxCompletionTokens: 2600 }],
  ])('%s has room to think, and its own temperature where it insists on it', async (model, expected) => {
    const { messages: _, apiFormat: __, isStream: ___, ...limits } = await requestOf('GENERIC', model);
    expect(limits).toEqual(expected);
  });

  test.each([
    ['cohere.command-r-plus-08-2024', 'COHERE'],
    ['cohere.command-r-08-2024', 'COHERE'],
    ['cohere.command-a-03-2025', 'COHERE'],
    ['cohere.command-latest', 'COHERE'],
    ['cohere.command-a-vision-07-2025', 'COHEREV2'],
    ['cohere.command-b-01-2027', 'COHEREV2'],
    ['xai.grok-4.6', 'GENERIC'],
    ['google.gemini-2.5-flash', 'GENERIC'],
    ['ocid1.generativeaimodel.oc1.us-chicago-1.x', 'GENERIC'],
  ])('%s is asked in %s', async (model, format) => {
    expect((await requestOf(format, model)).apiFormat).toBe(format);
  });

  test('the region is that of the setting, not of the function', async () => {
    server = generativeAiServer();
    await server.listen();
    const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('nothing leaves this machine'));
    const place = { region: 'us-chicago-1', compartmentId: COMPARTMENT, principal: PRINCIPAL };
    await refusalOf(new GenerativeAiChatModel({ ...place, model: 'm', clock }));

    const [request] = fetched.mock.calls[0] ?? [];
    expect(request).toHaveProperty(
      'url',
      'https://inference.generativeai.us-chicago-1.oci.oraclecloud.com/20231130/actions/chat',
    );
    fetched.mockRestore();
  });
});

describe('what an API like that of OpenAI is asked', () => {
  const flavour = FLAVOURS.find(({ name }) => name === 'OpenAI') as Flavour;
  const good: ModelReply = { body: flavour.body({ text: 'x', reason: 'stop' }) };

  test('messages, with the key', async () => {
    const chat = await start(flavour);
    server.replies = [good];
    await ask(chat);

    const [first, second, last] = PROMPT.turns.map(({ text }) => text);
    expect(server.body()).toEqual({
      model: flavour.model,
      messages: [
        { role: 'system', content: PROMPT.instructions },
        { role: 'user', content: first },
        { role: 'assistant', content: second },
        { role: 'user', content: last },
      ],
      max_tokens: 600,
      temperature: 0,
      stream: false,
    });
    expect(server.asked[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`);
    expect(server.asked[0]?.headers).not.toHaveProperty('opc-compartment-id');
  });

  test('no key where there is none, and the compartment where there is one', async () => {
    await start(flavour);
    server.replies = [good];
    const options = { url: `${server.url}/v1`, model: 'm', apiKey: async () => '', compartmentId: COMPARTMENT, clock };
    await ask(new OpenAiChatModel(options));

    expect(server.asked[0]?.headers).not.toHaveProperty('authorization');
    expect(server.asked[0]?.headers['opc-compartment-id']).toBe(COMPARTMENT);
  });

  test('a model that thinks has room for it', async () => {
    const chat = await start(flavour, { model: 'openai/gpt-5.4-mini' });
    server.replies = [good];
    await ask(chat);

    expect(server.body()).toMatchObject({ max_completion_tokens: 2600 });
    expect(Object.keys(server.body()).sort()).toEqual(['max_completion_tokens', 'messages', 'model', 'stream']);
  });

  test('a key that no header can hold is refused without being told', async () => {
    const chat = await start(flavour, { key: `${API_KEY}\n` });

    expect(causesOf(await refusalOf(chat)).join()).toContain('RAG_ANSWER_API_KEY has a blank');
    expect(server.asked).toHaveLength(0);
  });

  test('a key that is told back is not repeated in the log', async () => {
    const chat = await start(flavour);
    server.replies = [{ status: 401, body: flavour.refusalBody('invalid_api_key', `no such key: ${API_KEY}`) }];

    expect(causesOf(await refusalOf(chat)).join()).toContain('it quotes what was sent');
  });

  test('a redirection is not followed', async () => {
    const chat = await start(flavour);
    server.replies = [{ status: 307, headers: { location: `${server.url}/elsewhere` }, body: {} }];

    await refusalOf(chat);
    expect(server.asked).toHaveLength(1);
  });

  test.each([
    [429, 10],
    [402, 60],
  ])('a refusal (%d) that comes with HTTP 200 is one', async (code, retryAfterSeconds) => {
    const chat = await start(flavour);
    server.replies = [{ body: { error: { code, message: 'not now' } } }];

    expect((await refusalOf(chat)).retryAfterSeconds).toBe(retryAfterSeconds);
  });

  test("a model's own refusal is an answer withheld", async () => {
    const chat = await start(flavour);
    server.replies = [{ body: completion({ content: null, refusal: 'I cannot help with that.' }, 'stop') }];

    expect(await ask(chat)).toMatchObject({ text: '', finish: 'withheld' });
  });
});
