import { type ModelRequest, ModelServer } from './model-server.ts';
import { somePrincipal } from './oci-server.ts';
import { signatureFault } from './oci-signature.ts';
import { SdkTypes } from './sdk-types.ts';

export const PRINCIPAL = somePrincipal();

const TYPES = new SdkTypes('oci-generativeaiinference');

/** The operations of Generative AI that the product uses, with the types of what they take. */
const OPERATIONS: Record<string, string> = {
  '/20231130/actions/chat': 'ChatDetails',
  '/20231130/actions/embedText': 'EmbedTextDetails',
};

/** Stands in for Generative AI: takes only what is signed, and is as the SDK's own types have it. */
export const generativeAiServer = (): ModelServer =>
  new ModelServer((request: ModelRequest) => {
    const type = OPERATIONS[request.url];
    if (request.method !== 'POST' || type === undefined) return [`${request.method} ${request.url} is no operation`];
    const signature = signatureFault(request, PRINCIPAL);
    return [
      ...(signature === null ? [] : [`the request ${signature}`]),
      ...TYPES.faults(JSON.parse(request.body.toString('utf8')), type),
    ];
  });
