import type { Deployment } from './settings.ts';

/**
 * Your deployment. Every value has a default (infra/settings.ts says what each is), and an environment variable that
 * overrides it, so this file may stay as it is. No secrets: they are made in the Vault and never leave it.
 */
export const deployment: Deployment = {};
