import { Code } from '@mantine/core';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { changedPart, diffLines } from '../object/line-diff.ts';
import type { DiffLine } from '../object/line-diff.ts';
import { yamlOf } from '../object/yaml-text.ts';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';

const COLORS = { '+': 'teal', '-': 'red', ' ': 'dimmed' } as const;
const LINES_MAX = 2000;

/** What of two objects differs; undefined: there was none. */
export function ObjectDiff({ before, after }: { readonly before: unknown; readonly after: unknown }): ReactNode {
  const lines = useMemo(() => {
    const [old, young] = [before, after].map((one) => (one === undefined ? '' : yamlOf(one)));
    return changedPart(diffLines(old ?? '', young ?? ''));
  }, [before, after]);
  return <DiffView lines={lines} />;
}

/** Lines of a difference, in colours. */
export function DiffView({ lines }: { readonly lines: readonly DiffLine[] }): ReactNode {
  const text = useText();
  return (
    <Code block aria-label={text.difference} tabIndex={0}>
      {lines.length === 0
        ? text.noDifference
        : lines.slice(0, LINES_MAX).map(({ sign, text: line }, at) => (
            <span key={at} style={{ display: 'block', color: `var(--mantine-color-${COLORS[sign]}-text)` }}>
              {sign} {visible(line)}
            </span>
          ))}
      {lines.length > LINES_MAX ? `… ${lines.length - LINES_MAX}` : null}
    </Code>
  );
}
