import { Kbd, Stack, Switch, Table } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Dialog } from '../shell/dialog.tsx';
import type { Texts } from '../texts/english.ts';
import { useText } from '../texts/use-text.ts';
import { areSingleKeysOn, switchSingleKeys } from './use-keys.ts';

const KEYS: readonly (readonly [keys: readonly string[], label: keyof Texts])[] = [
  [['Ctrl', 'K'], 'searchAll'],
  [[':'], 'kinds'],
  [['/'], 'filter'],
  [['Enter', 'Esc'], 'inFilter'],
  [['j', 'k', '↓', '↑'], 'nextRow'],
  [['d'], 'summary'],
  [['y'], 'yaml'],
  [['l'], 'logs'],
  [['s'], 'terminal'],
  [['w'], 'why'],
  [['h'], 'history'],
  [['e'], 'events'],
  [['Esc'], 'oneUp'],
  [['Ctrl', 'F6'], 'leaveTerminal'],
  [['?'], 'keys'],
];

/** All keys; single ones can be switched off. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const [areOn, setOn] = useState(areSingleKeysOn);
  return (
    <Dialog onClose={onClose} title={text.keys}>
      <Stack>
        <Switch
          label={text.singleKeys}
          checked={areOn}
          onChange={({ currentTarget: { checked } }) => {
            switchSingleKeys(checked);
            setOn(checked);
          }}
        />
        <Table aria-label={text.keys}>
          <Table.Tbody>
            {KEYS.map(([keys, label]) => (
              <Table.Tr key={label}>
                <Table.Td>
                  {keys.map((key) => (
                    <Kbd key={key} mr={4}>
                      {key}
                    </Kbd>
                  ))}
                </Table.Td>
                <Table.Td>{text[label]}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Dialog>
  );
}
