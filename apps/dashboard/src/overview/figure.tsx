import { Card, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FigureProps {
  readonly title: string;
  readonly value: string;
  readonly hint?: string;
  readonly children?: ReactNode;
}

/** One number that matters. */
export function Figure({ title, value, hint, children }: FigureProps): ReactNode {
  return (
    <Card withBorder padding="sm" component="section" aria-label={title}>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text size="xl" fw={700} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {value}
      </Text>
      {hint === undefined ? null : (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      )}
      {children}
    </Card>
  );
}
