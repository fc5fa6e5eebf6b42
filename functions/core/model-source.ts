/** Where bootstrap may have a model from: a pre-authenticated https URL, DIRECTORY:file of the database server, vault:<OCID>. */
export const isModelSource = (text: string): boolean =>
  /^(https:\/\/[^/\s]+\/\S+|(?!VAULT:)[A-Z][A-Z0-9_]{0,122}:[\w.-]+|vault:ocid1\.\S+)$/.test(text);

export const MODEL_SOURCE_FAULT = 'must be https://…, DIRECTORY:file or vault:<OCID>';
