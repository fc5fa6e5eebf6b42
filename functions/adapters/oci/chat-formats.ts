import type { ChatFormat } from './chat-format.ts';
import { cohereFormat } from './cohere-format.ts';
import { cohereV2Format } from './cohere-v2-format.ts';
import { genericFormat } from './generic-format.ts';

/**
 * The first that fits is the model's: Cohere's text models up to Command A have the old shape, the newer ones (Command A
 * Reasoning and Vision, and what follows) the second, the models of all others the generic one. Each refuses the others'.
 */
const FORMATS: [RegExp, ChatFormat][] = [
  [/^cohere\.command-(r|light|a-03-2025|latest|plus-latest)(?![a-z])/, cohereFormat],
  [/^cohere\./, cohereV2Format],
  [/^/, genericFormat],
];

export const formatOf = (model: string): ChatFormat => FORMATS.find(([ids]) => ids.test(model))?.[1] ?? genericFormat;
