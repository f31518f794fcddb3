import type { Pieces } from '@binnacle/base';
import { stepsOf } from '../../pattern/pattern-size.ts';
import { additionalOf, itemsOf } from './props.ts';
import type { SchemaProps } from './props.ts';
import { patternOf } from './text-check.ts';

/** Patterns of together so many steps are read by whoever needs them first: that takes some hundredths of a second. */
const FEW_STEPS = 20_000;
/** Schemas that are looked at in one piece. */
const PIECE_SCHEMAS = 1000;
/** Steps that are read in one piece; a pattern of more is a piece of its own. */
const PIECE_STEPS = 5000;

/** How many steps all patterns of a schema have together; too large ones count as none. */
export function* countSteps(props: SchemaProps): Pieces<number> {
  let [steps, looked] = [0, 0];
  for (const { pattern = '' } of schemasWithin(props)) {
    steps += pattern === '' ? 0 : (stepsOf(pattern) ?? 0);
    if (++looked % PIECE_SCHEMAS === 0) yield;
  }
  return steps;
}

/** Reads the patterns of a schema that has very many, piece by piece, for those who hold values against it. */
export function* readPatterns(props: SchemaProps): Pieces<void> {
  if ((yield* countSteps(props)) <= FEW_STEPS) return;
  let steps = 0;
  for (const schema of schemasWithin(props)) {
    if (schema.pattern === undefined || schema.pattern === '') continue;
    steps += patternOf(schema, schema.pattern).pattern?.steps ?? 0;
    if (steps < PIECE_STEPS) continue;
    steps = 0;
    yield;
  }
}

/** A schema and all that are inside of it; the decoder has bounded how deep they are. */
function* schemasWithin(props: SchemaProps): Generator<SchemaProps, void> {
  yield props;
  for (const inner of insideOf(props)) yield* schemasWithin(inner);
}

function insideOf(props: SchemaProps): readonly SchemaProps[] {
  const { properties, allOf, anyOf, oneOf, not } = props;
  const [items, additional] = [itemsOf(props), additionalOf(props)];
  if (properties === undefined && items === undefined && additional === undefined && !allOf && !anyOf && !oneOf && !not)
    return [];
  return [
    ...(items === undefined ? [] : [items]),
    ...Object.values(properties ?? {}),
    ...(additional === undefined ? [] : [additional]),
    ...(allOf ?? []),
    ...(anyOf ?? []),
    ...(oneOf ?? []),
    ...(not === undefined || not === null ? [] : [not]),
  ];
}
