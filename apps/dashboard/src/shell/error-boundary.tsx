import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Component, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { isRenewed } from '../api/renewed.ts';
import { BROKEN } from '../keys/use-keys.ts';
import { useText } from '../texts/use-text.ts';
import { PartError } from './part.tsx';

interface BoundaryProps {
  /** Another place is drawn anew. */
  readonly place: string;
  readonly children: ReactNode;
  /** There is room for a line. */
  readonly isSlim?: boolean;
  /** What stands around the word of it; absent: nothing. */
  readonly frame?: (broken: ReactNode) => ReactNode;
}

interface BoundaryState {
  readonly error: Error | undefined;
  readonly place: string;
}

/** What cannot be drawn (a part that did not load, an object that nobody thought of) takes what is around it with it no more. */
export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: undefined, place: this.props.place };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error: error instanceof Error ? error : new TypeError(String(error)) };
  }

  static getDerivedStateFromProps({ place }: BoundaryProps, state: BoundaryState): Partial<BoundaryState> | null {
    return place === state.place ? null : { error: undefined, place };
  }

  override componentDidCatch(error: unknown): void {
    if (error instanceof PartError) error.forget();
  }

  override render(): ReactNode {
    const { error } = this.state;
    const { children, isSlim = false, frame = (broken) => broken } = this.props;
    if (error === undefined) return children;
    if (!(error instanceof PartError)) return frame(<Broken message={error.message} />);
    return frame(
      <Missing message={error.message} isSlim={isSlim} onAgain={() => this.setState({ error: undefined })} />,
    );
  }
}

function Broken({ message }: { readonly message: string }): ReactNode {
  const text = useText();
  return (
    <Notice color="red" title={text.cannotDraw} message={message}>
      <Button size="xs" onClick={() => location.reload()}>
        {text.tryAgain}
      </Button>
    </Notice>
  );
}

interface MissingProps {
  readonly message: string;
  readonly isSlim: boolean;
  readonly onAgain: () => void;
}

/** A part of the page that did not come: the way there is broken, or a newer dashboard is there and has it no more. */
function Missing({ message, isSlim, onAgain }: MissingProps): ReactNode {
  const text = useText();
  const [isOld, setOld] = useState(false);
  useEffect(() => {
    let isLeft = false;
    // Where nobody knows, the way there may be tried again.
    isRenewed().then(
      (yes) => !isLeft && setOld(yes),
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, []);
  const title = isOld ? text.renewed : text.partMissing;
  const ways = (
    <Group gap="xs" wrap="nowrap">
      {isOld ? null : (
        <Button size="compact-sm" onClick={onAgain}>
          {text.tryAgain}
        </Button>
      )}
      <Button size="compact-sm" variant={isOld ? 'filled' : 'default'} onClick={() => location.reload()}>
        {text.loadAgain}
      </Button>
    </Group>
  );
  if (isSlim) {
    return (
      <Group gap="sm" p="xs" {...{ [BROKEN]: true }}>
        <Text size="sm" role="alert">
          {title}
        </Text>
        {ways}
      </Group>
    );
  }
  return (
    <Notice color={isOld ? 'orange' : 'red'} title={title} message={isOld ? text.renewedHint : message}>
      {ways}
    </Notice>
  );
}

interface NoticeProps {
  readonly color: 'red' | 'orange';
  readonly title: string;
  readonly message: string;
  /** What can be done about it. */
  readonly children: ReactNode;
}

function Notice({ color, title, message, children }: NoticeProps): ReactNode {
  return (
    <Stack gap="sm" align="flex-start" {...{ [BROKEN]: true }}>
      <Alert color={color} role="alert" title={title}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
      </Alert>
      {children}
    </Stack>
  );
}
