import { DEFAULT_SESSIONS } from './args.ts';
import type { Probe } from './probe.ts';
import { SCRATCH_PREFIX } from './scratch.ts';
import { wrap } from './wrap.ts';

const WIDTH = 116;

/** What `npm run doctor -- --help` prints; the rights are those that the probes name. */
export const usage = (probes: Probe[]): string => `usage: npm run doctor [-- --probe [options]]

Without --probe: whether this machine, the settings and the tenancy are fit for \`npx cdktf deploy\`. Each line is ok,
not ok (and what to do), a warning, or skipped. It asks OCI as the profile of ~/.oci/config, and changes nothing.

  --probe              asks the database what its documentation leaves open, and prints what holds
  --report FILE        where the results are written as JSON (default probe-report.json)
  --only P1,P4         these probes alone
  --timeout SECONDS    gives each probe at least so long
  --model-source S     lets P13 load a second copy of the model, from https://… (a pre-authenticated URL of the
                       .onnx file) or from DIRECTORY:file; it is dropped again
  --sessions N         how many sessions P11 opens at once (default ${DEFAULT_SESSIONS}; others cannot log in meanwhile where
                       they are all that the database has)
  --idle-minutes N     how long P11 leaves a session idle (default 0: not tried)
  --help               this text

Settings of the deploy (infra/settings.ts has all), from infra/deployment.ts or the environment:
  OCI_CLI_CONFIG_FILE            default ~/.oci/config
  DEPLOY_PROFILE                 its profile (default OCI_CLI_PROFILE, or else DEFAULT)
  DEPLOY_REGION                  where to deploy (default the profile's region)
  DEPLOY_ALWAYS_FREE             false where the database is a paid one, which may be in any region of the tenancy
  DEPLOY_STATE_BUCKET            the bucket of Terraform's state; it then needs Terraform 1.12
  FUNCTION_IMAGE                 an image that is pushed already; without it Docker builds and pushes one
  DEPLOY_ANSWER_MODEL            extractive, a chat model of Generative AI in DEPLOY_GENAI_REGION (default where to
                                 deploy), or openai:<model> at DEPLOY_ANSWER_URL

Settings of the product that name models of Generative AI, which are then looked for:
  RAG_ANSWER_MODEL               oci:<model>, in RAG_ANSWER_REGION, for RAG_ANSWER_COMPARTMENT
  RAG_EMBEDDING_URL              oci:<region>:<compartment>, for RAG_EMBEDDING_MODEL

Settings of a database that is there already, as the product's own; --probe needs them:
  RAG_DATABASE                   oracle: and a connect string
  RAG_DATABASE_USER              as whom to log in; RAG_DATABASE_PASSWORD
  RAG_DATABASE_WALLET            the folder with ewallet.pem, for mutual TLS; RAG_DATABASE_WALLET_PASSWORD
  RAG_DATABASE_OWNER             whose schema holds the tables and the model (default RAG_OWNER)
  RAG_EMBEDDING_MODEL            default ALL_MINILM_L12_V2
  RAG_EMBEDDING_WINDOW           the longest passage in characters (default 600)

The probes make objects in the user's own schema, whose names begin with ${SCRATCH_PREFIX}, and drop them again, also
where a probe fails and at Ctrl-C. Nothing else is written. All of them need CREATE SESSION; the owner that bootstrap
made has every right but those to DBA views and DROP ANY CONTEXT. Beyond that they need (with
CREATE TABLE a quota on the user's tablespace, too):

${probes.flatMap(({ id, needs }) => wrap(needs, `  ${id.padEnd(5)}`, ' '.repeat(7), WIDTH)).join('\n')}

A probe whose right is missing is "not tried". Exit code without --probe: 0 when nothing is "not ok", 1 otherwise.
With it: 0 when all ran, whatever they found; 1 when the database cannot be reached or a setting is wrong; 130 after
Ctrl-C.`;
