import { Alert, Group, ScrollArea, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from '../route/link.tsx';
import { useText } from '../texts/use-text.ts';
import { visible } from '../texts/visible.ts';
import type { Outcome } from './create-objects.ts';

/** What became of what somebody wrote. */
export interface Answer {
  /** Why nothing was sent. */
  readonly error?: string;
  readonly outcomes?: readonly Outcome[];
  /** How many there are in all. */
  readonly count?: number;
  readonly isTrial?: boolean;
}

/** What the server said: of one object the whole page is about, of several each by its name. */
export function Answers({ error, outcomes = [], count = 0, isTrial = false }: Answer): ReactNode {
  if (error !== undefined) return <Refusal error={error} />;
  if (count <= 1) return outcomes.map((outcome) => <Told key={outcome.title} outcome={outcome} isTrial={isTrial} />);
  return <Results outcomes={outcomes} count={count} isTrial={isTrial} />;
}

function Refusal({ error }: { readonly error: string }): ReactNode {
  return (
    <Alert color="red" role="alert" style={{ whiteSpace: 'pre-wrap' }}>
      {visible(error)}
    </Alert>
  );
}

interface ToldProps {
  readonly outcome: Outcome;
  readonly isTrial: boolean;
}

/** Of what was made nothing is said: its own page follows. */
function Told({ outcome: { error, warnings }, isTrial }: ToldProps): ReactNode {
  const text = useText();
  if (error !== undefined) return <Refusal error={error} />;
  return (
    <>
      {isTrial ? (
        <Alert color="teal" role="status">
          {text.wouldBeMade}
        </Alert>
      ) : null}
      {warnings.map((one) => (
        <Alert key={one} color="orange" role="status">
          {visible(one)}
        </Alert>
      ))}
    </>
  );
}

interface ResultsProps {
  readonly outcomes: readonly Outcome[];
  readonly count: number;
  readonly isTrial: boolean;
}

function Results({ outcomes, count, isTrial }: ResultsProps): ReactNode {
  const text = useText();
  const well = outcomes.filter(({ made }) => made !== undefined).length;
  return (
    <Stack gap={4}>
      <Text size="sm" role="status">
        {isTrial ? text.wouldBeMadeOf : text.madeOf} {well} / {count}
      </Text>
      <ScrollArea.Autosize mah="30vh" viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': text.results }}>
        <Stack gap={2} component="ol" m={0} pl="xl">
          {outcomes.map((outcome, at) => (
            <li key={at}>
              <Result outcome={outcome} isTrial={isTrial} />
            </li>
          ))}
        </Stack>
      </ScrollArea.Autosize>
    </Stack>
  );
}

function Result({ outcome: { title, made, warnings, error }, isTrial }: ToldProps): ReactNode {
  const text = useText();
  return (
    <>
      <Group gap="xs">
        {made === undefined || isTrial ? (
          <Text size="sm">{visible(title)}</Text>
        ) : (
          <Link
            to={{
              page: 'object',
              gvr: made.kind,
              namespace: made.object.metadata.namespace ?? '',
              name: made.object.metadata.name,
              tab: 'summary',
            }}
          >
            {visible(
              title.endsWith('…') ? `${title.slice(0, title.indexOf('/'))}/${made.object.metadata.name}` : title,
            )}
          </Link>
        )}
        {made === undefined ? null : (
          <Text size="sm" c="teal">
            {isTrial ? text.wouldBeMade : text.made}
          </Text>
        )}
      </Group>
      {error === undefined ? null : (
        <Text size="sm" c="red" style={{ whiteSpace: 'pre-wrap' }}>
          {visible(error)}
        </Text>
      )}
      {warnings.map((one) => (
        <Text key={one} size="sm" c="orange">
          {visible(one)}
        </Text>
      ))}
    </>
  );
}
