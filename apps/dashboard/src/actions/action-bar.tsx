import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { TabProps } from '../object/tab-props.ts';
import { useRights } from '../rights/use-rights.ts';
import { useText } from '../texts/use-text.ts';
import { actionsOf } from './actions.ts';
import { ActionDialog } from './action-dialog.tsx';
import type { Action } from './action.ts';

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
