import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Route } from './route.ts';
import { addressOf, go } from './use-route.ts';

interface LinkProps {
  readonly to: Route;
  readonly children: ReactNode;
}

/** A link within the dashboard: opens in place, and in a new tab where the browser is asked for one. */
export function Link({ to, children }: LinkProps): ReactNode {
  return (
    <Anchor href={addressOf(to)} onClick={(event) => follow(event, to)} size="sm">
      {children}
    </Anchor>
  );
}

/** The click of a link; one that asks for a new tab or window is the browser's. */
export function follow(
  event: Pick<MouseEvent, 'metaKey' | 'ctrlKey' | 'shiftKey' | 'button' | 'preventDefault'>,
  to: Route,
): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(to);
}
