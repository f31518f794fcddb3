import { Alert, Anchor, Button, Card, Group, NumberInput, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { TabProps } from '../object/tab-props.ts';
import { useText } from '../texts/use-text.ts';
import { forwardCommand, portsOf } from './ports.ts';
import type { PodPort } from './ports.ts';
import { useForwards } from './use-forwards.ts';
import type { Forwards } from './use-forwards.ts';

const PORT_MAX = 65_535;

/** A pod's ports as links that this browser can open: forwarded by the dashboard's server with the viewer's rights. */
export function PortLinks({ object }: TabProps): ReactNode {
  const text = useText();
  const { name, namespace = '' } = object.metadata;
  const forwards = useForwards(namespace, name);
  const [other, setOther] = useState<number>();
  const named = portsOf(object);
  const unnamed = forwards.open.filter(({ port }) => named.every((one) => one.port !== port));
  const rows: readonly PodPort[] = [...named, ...unnamed.map(({ port }) => ({ port, of: '' }))];
  return (
    <Card withBorder component="section" aria-label={text.ports}>
      <Title order={2} size="h5" mb="xs">
        {text.ports}
      </Title>
      <Stack gap="xs">
        {rows.map((row) => (
          <PortRow key={row.port} row={row} forwards={forwards} place={{ name, namespace }} />
        ))}
        <Group gap="xs">
          <NumberInput
            size="xs"
            w="8rem"
            aria-label={text.anotherPort}
            placeholder={text.anotherPort}
            min={1}
            max={PORT_MAX}
            allowDecimal={false}
            value={other ?? ''}
            onChange={(value) => setOther(typeof value === 'number' ? value : undefined)}
          />
          <Button
            size="xs"
            variant="default"
            disabled={other === undefined}
            onClick={() => void forwards.start(other ?? 0)}
          >
            {text.openPort}
          </Button>
        </Group>
        {forwards.error === undefined ? null : (
          <Alert color="red" role="alert">
            {forwards.error}
          </Alert>
        )}
      </Stack>
    </Card>
  );
}

interface PortRowProps {
  readonly row: PodPort;
  readonly forwards: Forwards;
  readonly place: { readonly name: string; readonly namespace: string };
}

function PortRow({ row: { port, of }, forwards, place }: PortRowProps): ReactNode {
  const text = useText();
  const open = forwards.open.find((one) => one.port === port);
  return (
    <Group gap="sm">
      <Text size="sm">
        {port} {of}
      </Text>
      {open === undefined ? (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => void forwards.start(port)}
          aria-label={`${text.openPort}: ${port}`}
        >
          {text.openPort}
        </Button>
      ) : (
        <>
          <Anchor href={open.url} target="_blank" rel="noopener noreferrer" size="sm">
            {open.url}
          </Anchor>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => void forwards.stop(open.id)}
            aria-label={`${text.close}: ${port}`}
          >
            {text.close}
          </Button>
        </>
      )}
      <Text size="xs" c="dimmed" ff="monospace">
        {forwardCommand(place, port)}
      </Text>
    </Group>
  );
}
