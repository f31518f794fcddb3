import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { follow } from '../route/link.tsx';
import { addressOf } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import { isHeld } from './pause.ts';
import { useHasPauses, usePauses } from './use-pauses.ts';

/** In the head of every page: that somebody is held, so that nobody forgets it. */
export function HeldBadge(): ReactNode {
  return useHasPauses() ? <Held /> : null;
}

function Held(): ReactNode {
  const text = useText();
  const held = usePauses().pauses.filter(isHeld);
  if (held.length === 0) return null;
  return (
    <Badge
      component="a"
      href={addressOf({ page: 'pauses' })}
      onClick={(event) => follow(event, { page: 'pauses' })}
      color="orange"
      variant="light"
      tt="none"
      style={{ cursor: 'pointer' }}
    >
      {text.held}: {held.map(({ metadata }) => metadata.name).join(', ')}
    </Badge>
  );
}
