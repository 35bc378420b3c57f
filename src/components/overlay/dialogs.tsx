import { Button } from 'antd'
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { ActionButton } from '../action-button.tsx'
import { isFocusLost } from '../form/focus.ts'
import { ControlledForm, useFormController } from '../form/form.tsx'
import { Modal } from './layers.tsx'

const confirmWidth = 416
const dialogWidth = 520

const focusableSelector = 'input:not(:disabled):not([type="checkbox"]), textarea:not(:disabled)'
/** Focuses the first field; antd's focus trap would focus the × because it comes first. */
const focusFirstField = (body: HTMLElement | null) => {
  const focused = document.activeElement
  if (isFocusLost() || focused === body || focused?.closest('.ant-modal-close'))
    body?.querySelector<HTMLElement>(focusableSelector)?.focus()
}

/**
 * The content of a dialog. If the focused element is replaced (a list by a message, a button by a result), the focus
 * stays in the dialog; otherwise keyboard users would continue behind it.
 */
function DialogBody(props: {
  holder: RefObject<HTMLDivElement | null>
  padded: boolean
  /** Called on any interaction in the dialog, including popups above it such as a calendar. */
  onTouch?: () => void
  children: ReactNode
}) {
  const { holder: container, padded, onTouch, children } = props
  const hadFocus = useRef(false)
  // This includes elements outside the content: the × and the buttons below.
  useEffect(() => {
    const dialog = container.current?.closest('.ant-modal')
    const recordFocus = () => {
      hadFocus.current = true
    }
    dialog?.addEventListener('focusin', recordFocus)
    return () => dialog?.removeEventListener('focusin', recordFocus)
  }, [container])
  // Runs after every render: only then is it known whether the focus was removed.
  useEffect(() => {
    if (hadFocus.current && isFocusLost()) container.current?.focus()
  })
  return (
    // Receives the focus when the focused element was replaced; it cannot be pressed.
    <div
      ref={container}
      tabIndex={-1}
      style={{ outline: 'none', ...(padded && { padding: '4px 0 12px' }) }}
      {...(onTouch && { onPointerDownCapture: onTouch, onKeyDownCapture: onTouch, onInputCapture: onTouch })}
    >
      {children}
    </div>
  )
}

/** Returns the focus to the element that opened the dialog, even if a page unmounts the dialog instead of closing it. */
export function RestoreFocus() {
  const [opener] = useState(() => document.activeElement)
  // Runs after the dialog is gone, and only if nothing else has taken the focus.
  useEffect(
    () => () => {
      setTimeout(() => {
        if (isFocusLost() && opener instanceof HTMLElement && opener.isConnected) opener.focus()
      }, 50)
    },
    [opener],
  )
  return null
}

type DialogProps = {
  open: boolean
  title: ReactNode
  onClose: () => void
  /** The label names the action, never 「确定」. Omitted if there is nothing to confirm. */
  action?: string
  onConfirm?: () => void
  danger?: boolean
  busy?: boolean
  /** True, or the reason why it cannot be confirmed yet. */
  allowed?: true | string
  /** The dialog is finished: this button replaces cancel and confirm. */
  result?: { text: string; onPress: () => void }
  /** The content has its own buttons. */
  hideFooter?: boolean
  maskCloses?: boolean
  width?: number
  children?: ReactNode
}

/** Title, close icon, content, cancel and confirm; a button for the result when finished. Esc closes, the focus returns. */
export function Dialog(props: DialogProps) {
  const { action, result } = props
  // A second press can come before `busy` is rendered, so quick double presses count once. A button with another label
  // is a different action, and so is a press after a change: after an error the user corrects a field and presses again
  // as quickly as they can.
  const lastPress = useRef<{ act: string | undefined; at: number }>({ act: undefined, at: 0 })
  const body = useRef<HTMLDivElement>(null)
  const resetPress = () => {
    lastPress.current = { act: undefined, at: 0 }
  }
  const confirm = () => {
    const { act, at } = lastPress.current
    if (props.busy || (act === action && Date.now() - at < 400)) return
    lastPress.current = { act: action, at: Date.now() }
    props.onConfirm?.()
  }
  return (
    <Modal
      open={props.open}
      width={props.width ?? dialogWidth}
      title={props.title}
      onCancel={props.onClose}
      mask={{ closable: props.maskCloses ?? false }}
      footer={
        props.hideFooter ? null : result ? (
          <Button type="primary" onClick={result.onPress}>
            {result.text}
          </Button>
        ) : (
          <>
            <Button onClick={props.onClose}>取消</Button>
            {action && (
              <ActionButton
                type="primary"
                danger={props.danger ?? false}
                loading={props.busy ?? false}
                allowed={props.allowed ?? true}
                onClick={confirm}
              >
                {action}
              </ActionButton>
            )}
          </>
        )
      }
      afterOpenChange={(opened) => opened && focusFirstField(body.current)}
      destroyOnHidden
      centered
    >
      <RestoreFocus />
      <DialogBody holder={body} padded onTouch={resetPress}>
        {props.children}
      </DialogBody>
    </Modal>
  )
}

/**
 * Asks before something that reaches employees or cannot be undone. The title asks, the text says what happens to how
 * many, the button names the action: `action="撤回 128 人"`, never 「确定」.
 */
export const ConfirmDialog = (props: Omit<DialogProps, 'result' | 'width'> & { action: string; onConfirm: () => void }) => (
  <Dialog maskCloses {...props} width={confirmWidth} />
)

type FormDialogProps<V extends object> = {
  open: boolean
  title: string
  action: string
  initial?: Partial<V>
  onSubmit: (values: V) => Promise<unknown>
  onClose: () => void
  /** Receives the values while the user types: for a dialog that keeps some of them after it is cancelled. */
  onValuesChange?: (values: V) => void
  /** False where the specification forbids closing by the mask. */
  maskCloses?: boolean
  width?: number
  danger?: boolean
  children: ReactNode
}

/**
 * A modal with a form: its button is in the footer and belongs to the form of that `id`, so that Enter submits as well.
 * Esc closes; the focus starts at the first field and returns to where it was.
 */
export function FormModal(props: {
  open: boolean
  title: string
  action: string
  id: string
  busy: boolean
  /** Nothing to submit yet. */
  idle?: boolean
  onClose: () => void
  maskCloses?: boolean
  width?: number
  danger?: boolean
  children: ReactNode
}) {
  const body = useRef<HTMLDivElement>(null)
  return (
    <Modal
      open={props.open}
      width={props.width ?? dialogWidth}
      title={props.title}
      okText={props.action}
      cancelText="取消"
      confirmLoading={props.busy}
      okButtonProps={{ htmlType: 'submit', form: props.id, disabled: props.idle ?? false, danger: props.danger ?? false }}
      onCancel={props.onClose}
      mask={{ closable: props.maskCloses ?? false }}
      afterOpenChange={(opened) => opened && focusFirstField(body.current)}
      destroyOnHidden
      centered
    >
      <RestoreFocus />
      <DialogBody holder={body} padded={false}>
        {props.children}
      </DialogBody>
    </Modal>
  )
}

/** A form in a dialog (`ControlledForm`): the input stays after an error; `onSubmit` throws to keep the dialog open. */
export function FormDialog<V extends object>({ children, initial, onSubmit, onValuesChange, ...props }: FormDialogProps<V>) {
  const id = useId()
  const [busy, setBusy] = useState(false)
  return (
    <FormModal {...props} id={id} busy={busy}>
      <FormDialogBody<V> {...{ id, initial, onSubmit, onValuesChange }} onDone={props.onClose} onBusy={setBusy}>
        {children}
      </FormDialogBody>
    </FormModal>
  )
}

/** Mounted only while the dialog is open, so that every opening starts from its own record. */
function FormDialogBody<V extends object>(props: {
  id: string
  initial: Partial<V> | undefined
  onValuesChange: ((values: V) => void) | undefined
  onSubmit: (values: V) => Promise<unknown>
  onDone: () => void
  onBusy: (busy: boolean) => void
  children: ReactNode
}) {
  const { onBusy, ...rest } = props
  return <ControlledForm<V> kit={useFormController<V>(onBusy)} {...rest} style={{ padding: '8px 0' }} />
}
