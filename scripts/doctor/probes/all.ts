import type { Probe } from '../probe.ts';
import { embedOnce } from './p01-embed-once.ts';
import { claims } from './p02-claims.ts';
import { embedInDml } from './p03-embed-in-dml.ts';
import { tokenWindow } from './p04-token-window.ts';
import { oddTexts } from './p05-odd-texts.ts';
import { filteredSearch } from './p06-filtered-search.ts';
import { graphIndex } from './p07-graph-index.ts';
import { rowPolicies } from './p08-row-policies.ts';
import { words } from './p09-words.ts';
import { partitionIndex } from './p10-partition-index.ts';
import { limits } from './p11-limits.ts';
import { resourcePrincipal } from './p12-resource-principal.ts';
import { twoLoads } from './p13-two-loads.ts';
import { goldenStatements } from './p14-golden-statements.ts';
import { roundTrips } from './p15-round-trips.ts';
import { pipelines } from './p16-pipelines.ts';
import { policyDetails } from './p17-policy-details.ts';
import { searchShape } from './p18-search-shape.ts';
import { statementForms } from './p19-statement-forms.ts';
import { sqlCallers } from './p20-sql-callers.ts';
import { generativeAi } from './p21-generative-ai.ts';

/** In the order in which they run. */
export const PROBES: Probe[] = [
  embedOnce,
  claims,
  embedInDml,
  tokenWindow,
  oddTexts,
  filteredSearch,
  graphIndex,
  rowPolicies,
  words,
  partitionIndex,
  limits,
  resourcePrincipal,
  twoLoads,
  goldenStatements,
  roundTrips,
  pipelines,
  policyDetails,
  searchShape,
  statementForms,
  sqlCallers,
  generativeAi,
];
