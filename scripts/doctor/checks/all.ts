import type { Check } from './check.ts';
import { connection } from './connection.ts';
import { deployment } from './deployment.ts';
import { generativeAi } from './generative-ai.ts';
import { homeRegion } from './home-region.ts';
import { image } from './image.ts';
import { limits } from './limits.ts';
import { modelFile } from './model-file.ts';
import { nodeVersion } from './node-version.ts';
import { ociConfig } from './oci-config.ts';
import { settings } from './settings.ts';
import { storage } from './storage.ts';
import { terraform } from './terraform.ts';

/** In this order they are told of; they run at once. */
export const CHECKS: Check[] = [
  nodeVersion,
  terraform,
  image,
  ociConfig,
  deployment,
  homeRegion,
  ...limits,
  generativeAi,
  modelFile,
  settings,
  connection,
  storage,
];
