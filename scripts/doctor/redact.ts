/** Takes passwords and addresses out of a text that comes from elsewhere. */
export type Redact = (text: string) => string;

const URL_LIKE = /\bhttps?:\/\/\w\S*/gi;

export function redactor(secrets: string[]): Redact {
  // The longest first: one secret may be part of another.
  const known = [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
  return (text) => known.reduce((left, secret) => left.replaceAll(secret, '***'), text).replace(URL_LIKE, '(address)');
}
