import { Alert, Button, Code, Group, Modal, NumberInput, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { request } from '../api/request.ts';
import type { TabProps } from '../object/tab-props.ts';
import { useRights } from '../rights/use-rights.ts';
import { useText } from '../texts/use-text.ts';
import { actionsOf } from './actions.ts';
import type { Action } from './actions.ts';

/** What can be done with an object and the viewer may do: each says what it will do before it does it. */
export function ActionBar({ kind, object }: TabProps): ReactNode {
  const text = useText();
  const rights = useRights(object.metadata.namespace ?? '');
  const [chosen, setChosen] = useState<Action>();
  return (
    <Group gap="xs">
      {actionsOf(kind, object)
        .filter(({ wish }) => rights(wish))
        .map((action) => (
          <Button
            key={action.name}
            size="xs"
            variant="default"
            color={action.name === 'delete' ? 'red' : 'indigo'}
            onClick={() => setChosen(action)}
          >
            {text[action.name]}
          </Button>
        ))}
      {chosen === undefined ? null : (
        <ActionDialog
          action={chosen}
          name={object.metadata.name}
          object={object}
          onClose={() => setChosen(undefined)}
        />
      )}
    </Group>
  );
}

interface ActionDialogProps extends Pick<TabProps, 'object'> {
  readonly action: Action;
  readonly name: string;
  readonly onClose: () => void;
}

const PROPAGATIONS = ['Background', 'Foreground', 'Orphan'];

function ActionDialog({ action, name, object, onClose }: ActionDialogProps): ReactNode {
  const text = useText();
  const { replicas = 1 } = (object['spec'] ?? {}) as { readonly replicas?: number };
  const [answer, setAnswer] = useState(action.asks === 'count' ? String(replicas) : 'Background');
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const act = async (): Promise<void> => {
    setBusy(true);
    try {
      await request(action.call(answer, Date.now()));
      onClose();
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
      setBusy(false);
    }
  };
  const kubectl = action.kubectl.replace('=N', `=${answer}`).replace('=background', `=${answer.toLowerCase()}`);
  return (
    <Modal opened onClose={onClose} title={`${text[action.name]}: ${name}`} centered>
      <Stack>
        {action.asks === 'count' ? (
          <NumberInput
            label={text.replicas}
            min={0}
            value={Number(answer)}
            onChange={(value) => setAnswer(String(value))}
            data-autofocus
          />
        ) : null}
        {action.asks === 'propagation' ? (
          <Select
            label={text.propagation}
            data={PROPAGATIONS}
            value={answer}
            allowDeselect={false}
            onChange={(value) => setAnswer(value ?? 'Background')}
          />
        ) : null}
        <Stack gap={4}>
          <Text size="sm" c="dimmed">
            {text.sameAs}
          </Text>
          <Code block>{kubectl}</Code>
        </Stack>
        {error === undefined ? null : (
          <Alert color="red" role="alert">
            {error}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button color={action.name === 'delete' ? 'red' : 'indigo'} loading={isBusy} onClick={() => void act()}>
            {text[action.name]}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
