import { expect, test } from 'vitest';
import { SdkTypes } from '../support/sdk-types.ts';

const types = new SdkTypes('oci-generativeaiinference');
const servingMode = { servingType: 'ON_DEMAND', modelId: 'm' };
const chat = (chatRequest: object) => ({ compartmentId: 'c', servingMode, chatRequest });
const message = { role: 'USER', content: [{ type: 'TEXT', text: 'a' }] };

test.each<[string, object, string[]]>([
  ['what is right', chat({ apiFormat: 'GENERIC', messages: [message], maxTokens: 5 }), []],
  [
    'a misspelt field',
    chat({ apiFormat: 'COHERE', message: 'a', preamble: 'b' }),
    ['ChatDetails.chatRequest.preamble is no field of CohereChatRequest'],
  ],
  [
    'a field of another format',
    chat({ apiFormat: 'COHEREV2', messages: [message], maxCompletionTokens: 5 }),
    ['ChatDetails.chatRequest.maxCompletionTokens is no field of CohereChatRequestV2'],
  ],
  ['a missing field', chat({ apiFormat: 'COHERE' }), ['ChatDetails.chatRequest.message is missing']],
  [
    'a role that the format has not',
    chat({ apiFormat: 'COHERE', message: 'a', chatHistory: [{ role: 'ASSISTANT', message: 'b' }] }),
    ['ChatDetails.chatRequest.chatHistory[0] is no kind of CohereMessage'],
  ],
  [
    'text where numbers are',
    chat({ apiFormat: 'GENERIC', maxTokens: '5' }),
    ['ChatDetails.chatRequest.maxTokens is no number'],
  ],
  [
    'a value that an enumeration has not',
    chat({ apiFormat: 'COHERE', message: 'a', safetyMode: 'NONE' }),
    ['ChatDetails.chatRequest.safetyMode is none of CONTEXTUAL, STRICT, OFF'],
  ],
])('the types of the SDK tell %s', (_, details, faults) => {
  expect(types.faults(details, 'ChatDetails')).toEqual(faults);
});
