import { Alert, Button, Card, Code, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { TRACE_GROUP } from '@binnacle/trace';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { request } from '../api/request.ts';
import type { ApiRequest } from '../api/request.ts';
import { ageText } from '../lists/cell-text.ts';
import { HeadRow } from '../lists/head-row.tsx';
import { useNow } from '../lists/use-now.ts';
import { StateBadge } from '../live/state-badge.tsx';
import { useRights } from '../rights/use-rights.ts';
import { useText } from '../texts/use-text.ts';
import { deedsOf, inOrderOfUse, isHeld, PAUSES_PATH, remainingText } from './pause.ts';
import type { Pause, PauseDeed } from './pause.ts';
import { PauseOrders } from './pause-orders.ts';
import { usePauses } from './use-pauses.ts';

/** Step and pause: who is held, what each is about to do, one step at a time. The rest of the cluster goes on. */
export function PausesPage(): ReactNode {
  const text = useText();
  const { pauses, state, error } = usePauses();
  const isAllowed = useIsAllowed();
  const [filter, setFilter] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [done, setDone] = useState<Done>();
  const shown = inOrderOfUse(pauses.filter(({ metadata }) => metadata.name.includes(filter.trim())));
  const orders = useState(() => new PauseOrders(sendOrder))[0];
  const act = async (pause: Pause, deed: PauseDeed): Promise<void> => {
    setRefusal(undefined);
    try {
      await orders.give(pause, deed, (command) => setDone({ name: pause.metadata.name, command }));
    } catch (reason) {
      setRefusal(reason instanceof Error ? reason.message : String(reason));
    }
  };
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={1} size="h3">
            {text.stepAndPause}
          </Title>
          <StateBadge state={state} />
        </Group>
        <TextInput
          aria-label={text.filter}
          placeholder={`${text.filter} /`}
          data-hotkey="/"
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      </Group>
      <Text c="dimmed" size="sm">
        {text.pausesHint}
      </Text>
      {isAllowed === false ? <Alert color="gray">{text.pausesOff}</Alert> : null}
      {[error, refusal].map((one) =>
        one === undefined ? null : (
          <Alert key={one} color="red" role="alert">
            {one}
          </Alert>
        ),
      )}
      {shown.map((pause) => (
        <PauseCard
          key={pause.metadata.name}
          pause={pause}
          isAllowed={isAllowed === true}
          command={done?.name === pause.metadata.name ? done.command : undefined}
          onAct={act}
        />
      ))}
    </Stack>
  );
}

const sendOrder = async (call: ApiRequest): Promise<unknown> => (await request(call)).value;

interface Done {
  readonly name: string;
  /** That does the same. */
  readonly command: string;
}

/** Below the button that did it, which stays where it is: a second click on it finds it. */
function SameAs({ command }: { readonly command: string }): ReactNode {
  const text = useText();
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        {text.sameAs}
      </Text>
      <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {command}
      </Code>
    </Stack>
  );
}

interface PauseCardProps {
  readonly pause: Pause;
  readonly isAllowed: boolean;
  /** Of what was done with it last, of all that was done. */
  readonly command: string | undefined;
  readonly onAct: (pause: Pause, deed: PauseDeed) => Promise<void>;
}

function PauseCard({ pause, isAllowed, command, onAct }: PauseCardProps): ReactNode {
  const text = useText();
  const nowMs = useNow();
  const { name } = pause.metadata;
  const rights = useRights('');
  const deeds = deedsOf(pause, (verb) => rights({ verb, group: TRACE_GROUP, resource: 'pauses', name }));
  return (
    <Card withBorder padding="xs" component="section" aria-label={name}>
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2} size="h5">
            {name}
          </Title>
          {isHeld(pause) ? (
            <Text size="sm" c="orange">
              {text.held} · {text.stepsTaken} {pause.status?.passed ?? 0} · {text.goesOnIn}{' '}
              {remainingText(pause, nowMs)}
            </Text>
          ) : null}
        </Group>
        {isAllowed ? (
          <Group gap="xs">
            {deeds.map((deed) => (
              <Button
                key={deed}
                size="compact-sm"
                variant={deed === 'step' ? 'filled' : 'default'}
                onClick={() => void onAct(pause, deed)}
                aria-label={`${text[deed]}: ${name}`}
              >
                {text[deed]}
              </Button>
            ))}
          </Group>
        ) : null}
      </Group>
      {command === undefined ? null : <SameAs command={command} />}
      {isHeld(pause) ? <Waiting pause={pause} nowMs={nowMs} /> : null}
    </Card>
  );
}

function Waiting({ pause: { status }, nowMs }: { readonly pause: Pause; readonly nowMs: number }): ReactNode {
  const text = useText();
  const waiting = status?.waiting ?? [];
  if (waiting.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {text.nothingWaits}
      </Text>
    );
  }
  const isTold = waiting.some(({ because }) => because !== undefined);
  const heads = [text.aboutTo, ...(isTold ? [text.because] : []), text.since];
  return (
    <Table aria-label={text.aboutTo}>
      <HeadRow names={heads} />
      <Table.Tbody>
        {waiting.map(({ what, because, sinceMs }, at) => (
          <Table.Tr key={`${at} ${what}`}>
            <Table.Td>{what}</Table.Td>
            {isTold ? <Table.Td>{because}</Table.Td> : null}
            <Table.Td>{ageText(sinceMs, nowMs)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Whether this server lets anybody be held; undefined: not known yet. */
function useIsAllowed(): boolean | undefined {
  const [isAllowed, setAllowed] = useState<boolean>();
  useEffect(() => {
    const gone = new AbortController();
    request<{ readonly allowed?: boolean }>({ path: PAUSES_PATH, signal: gone.signal }).then(
      ({ value }) => setAllowed(value.allowed === true),
      // The list on the page says what is wrong.
      () => undefined,
    );
    return () => gone.abort();
  }, []);
  return isAllowed;
}
