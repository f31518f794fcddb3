import { AppShell, Burger, Button, Group, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { TRACE_GROUP } from '@binnacle/trace';
import { lazy, Suspense, useState } from 'react';
import type { ReactNode } from 'react';
import { useKinds } from '../kinds/use-kinds.ts';
import { HeldBadge } from '../pauses/held-badge.tsx';
import { follow } from '../route/link.tsx';
import { useMoment } from '../route/use-route.ts';
import { useText } from '../texts/use-text.ts';
import { Menu } from './menu.tsx';
import { Tools } from './tools.tsx';

// Loaded when somebody travels.
const TimeBar = lazy(async () => ({ default: (await import('../time/time-bar.tsx')).TimeBar }));

interface ShellProps {
  readonly children: ReactNode;
  readonly onLogOut: () => void;
}

/** The frame around every page: the menu of all kinds that the server serves, the moment, and who is here. */
export function Shell({ children, onLogOut }: ShellProps): ReactNode {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const hasTrace = useKinds().some(({ group }) => group === TRACE_GROUP);
  const moment = useMoment();
  const [isTimeOpen, setTimeOpen] = useState(false);
  // Who is in the past sees that he is.
  const isTimeShown = hasTrace && (isTimeOpen || moment !== undefined);
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      footer={{ height: isTimeShown ? { base: 100, sm: 68 } : 0 }}
      padding={{ base: 'xs', sm: 'md' }}
    >
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" justify="space-between" wrap="nowrap">
          <Brand isOpen={isOpen} onToggle={toggle} />
          <Group gap="xs" wrap="nowrap">
            <HeldBadge />
            {hasTrace ? <TimeButton isShown={isTimeShown} onToggle={() => setTimeOpen(!isTimeShown)} /> : null}
            <Group gap="xs" wrap="nowrap" visibleFrom="sm">
              <Tools onLogOut={onLogOut} />
            </Group>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar>
        <ScrollArea p="xs">
          <Group gap="xs" hiddenFrom="sm" pb="xs">
            <Tools onLogOut={onLogOut} />
          </Group>
          <Menu onChosen={close} />
        </ScrollArea>
      </AppShell.Navbar>
      {isTimeShown ? (
        <AppShell.Footer>
          <Suspense fallback={null}>
            <TimeBar onClose={() => setTimeOpen(false)} />
          </Suspense>
        </AppShell.Footer>
      ) : null}
      <AppShell.Main h="100dvh">{children}</AppShell.Main>
    </AppShell>
  );
}

function Brand({ isOpen, onToggle }: { readonly isOpen: boolean; readonly onToggle: () => void }): ReactNode {
  const text = useText();
  return (
    <Group gap="sm" wrap="nowrap">
      <Burger opened={isOpen} onClick={onToggle} hiddenFrom="sm" size="sm" aria-label={text.menu} />
      <Text
        component="a"
        href="/"
        fw={700}
        onClick={(event) => follow(event, { page: 'overview' })}
        c="inherit"
        td="none"
      >
        Binnacle
      </Text>
    </Group>
  );
}

function TimeButton({ isShown, onToggle }: { readonly isShown: boolean; readonly onToggle: () => void }): ReactNode {
  const text = useText();
  const moment = useMoment();
  return (
    <Button
      variant={moment === undefined ? 'subtle' : 'filled'}
      size="compact-sm"
      aria-expanded={isShown}
      onClick={onToggle}
    >
      {moment === undefined ? text.time : `${text.revision} ${moment}`}
    </Button>
  );
}
