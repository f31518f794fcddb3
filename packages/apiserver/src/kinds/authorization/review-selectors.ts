import type { FieldSelectorAttributes, LabelSelectorAttributes } from '@binnacle/api/authorization/v1';
import {
  formatFieldSelector,
  formatSelector,
  parseFieldSelector,
  parseLabelSelector,
  selectorFromObject,
  SelectorError,
} from '@binnacle/machinery';

/** A selector of a review as requests write it, and whether all of it could be read. */
export interface ReviewedSelector {
  /** Of what could be read; empty: nothing is narrowed. What is left out makes the question wider, never narrower. */
  readonly text: string;
  readonly isWhole: boolean;
}

const NONE: ReviewedSelector = { text: '', isWhole: true };
/** What would be read as more than a name. */
const NO_FIELD_NAME = /[\\,=!\s]/;

/** The fields that a review is about; requirements count for more than text. */
export function reviewedFields(given: FieldSelectorAttributes | undefined): ReviewedSelector {
  const { rawSelector = '', requirements = [] } = given ?? {};
  if (requirements.length === 0) return written(rawSelector, parseFieldSelector);
  const terms = requirements.flatMap(({ key, operator, values = [] }) => {
    const [value, ...more] = values;
    const isKnown = operator === 'In' || operator === 'NotIn';
    if (!isKnown || value === undefined || more.length > 0 || key === '' || NO_FIELD_NAME.test(key)) return [];
    return [{ field: key, operator: operator === 'In' ? '=' : '!=', value } as const];
  });
  return { text: formatFieldSelector({ terms }), isWhole: terms.length === requirements.length };
}

/** The labels that a review is about; requirements count for more than text. */
export function reviewedLabels(given: LabelSelectorAttributes | undefined): ReviewedSelector {
  const { rawSelector = '', requirements = [] } = given ?? {};
  if (requirements.length === 0) return written(rawSelector, parseLabelSelector);
  const read = requirements.flatMap((one) => {
    const found = attempted(() => selectorFromObject({ matchExpressions: [one] }));
    return found?.requirements ?? [];
  });
  return { text: formatSelector({ requirements: read }), isWhole: read.length === requirements.length };
}

/** What the review is told of selectors of which something was not read, in upstream's words; undefined: all was. */
export function selectorsProblem(fields: ReviewedSelector, labels: ReviewedSelector): string | undefined {
  const told = Object.entries({ fieldSelector: fields, labelSelector: labels })
    .filter(([, { isWhole }]) => !isWhole)
    .map(([name, { text }]) => {
      const how = text === '' ? 'ignored' : 'partially ignored';
      return `spec.resourceAttributes.${name} ${how} due to parse error`;
    });
  return told.length === 0 ? undefined : told.join('; ');
}

function written(text: string, parse: (text: string) => object): ReviewedSelector {
  if (text === '') return NONE;
  const isWhole = attempted(() => parse(text)) !== undefined;
  return { text: isWhole ? text : '', isWhole };
}

function attempted<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}
