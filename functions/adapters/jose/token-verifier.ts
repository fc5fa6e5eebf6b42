import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { Unauthenticated, Unavailable } from '../../core/errors.ts';
import { isStorable } from '../../core/text.ts';
import type { Claims, TokenVerifier } from '../../ports/platform.ts';

interface VerifierOptions {
  issuer: string;
  audience: string;
  /** An http(s) address, or the key set itself as JSON. */
  jwks: string;
  /** The claim that names the person. */
  employeeClaim: string;
}

/** The signatures accepted: public-key ones alone, so that neither `none` nor a shared secret can pass. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const CLOCK_SKEW_SECONDS = 30;
/** What jose says of the issuer's keys, not of the token: slow, answered with something else than keys, no key set. */
const KEYS_UNREADABLE = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID']);

export class JoseTokenVerifier implements TokenVerifier {
  readonly #options: VerifierOptions;
  readonly #keys: JWTVerifyGetKey;

  constructor(options: VerifierOptions) {
    this.#options = options;
    this.#keys = options.jwks.startsWith('http')
      ? createRemoteJWKSet(new URL(options.jwks))
      : createLocalJWKSet(JSON.parse(options.jwks) as JSONWebKeySet);
  }

  async verify(token: string): Promise<Claims> {
    const { issuer, audience, employeeClaim } = this.#options;
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_SKEW_SECONDS,
        requiredClaims: ['exp', employeeClaim],
      });
      const subject = payload[employeeClaim];
      if (typeof subject !== 'string' && typeof subject !== 'number') {
        throw new Unauthenticated(`The token's claim ${employeeClaim} must be a string or a number`);
      }
      // No database stores such a text, so nobody is known by it.
      if (typeof subject === 'string' && !isStorable(subject)) {
        throw new Unauthenticated(`The token's claim ${employeeClaim} is not valid Unicode text`);
      }
      const scopes = typeof payload.scope === 'string' ? payload.scope.split(' ') : [];
      return { subject: String(subject), scopes };
    } catch (error) {
      throw toUnauthenticated(error);
    }
  }
}

function toUnauthenticated(error: unknown): Error {
  if (error instanceof Unauthenticated) return error;
  if (error instanceof errors.JWTExpired) return new Unauthenticated('The token has expired', { cause: error });
  if (error instanceof errors.JWTClaimValidationFailed) {
    return new Unauthenticated(`The token's claim ${error.claim} is missing or not the one expected here`, {
      cause: error,
    });
  }
  if (!(error instanceof errors.JOSEError) || KEYS_UNREADABLE.has(error.code)) {
    return new Unavailable("The token issuer's keys cannot be read", { cause: error, retryAfterSeconds: 5 });
  }
  return new Unauthenticated('The token is not valid here', { cause: error });
}
