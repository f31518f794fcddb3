import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../texts/use-text.ts';
import type { TableView } from './live-table.ts';

/** What of several lists is not there: what went wrong, and what is not for the viewer. */
export function Refusals({ views }: { readonly views: { readonly [name: string]: TableView } }): ReactNode {
  const text = useText();
  const hidden = Object.entries(views).filter(([, { state }]) => state === 'forbidden');
  const errors = new Set(Object.values(views).flatMap(({ error }) => error ?? []));
  return (
    <>
      {[...errors].map((error) => (
        <Alert key={error} color="red" role="alert">
          {error}
        </Alert>
      ))}
      {hidden.length === 0 ? null : (
        <Alert color="gray">
          {text.mayNotList} {hidden.map(([name]) => name).join(', ')}
        </Alert>
      )}
    </>
  );
}
