import { Button } from 'antd'
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { ActionButton } from '../action-button.tsx'
import { isFocusLost } from '../form/focus.ts'
import { ControlledForm, useFormController } from '../form/form.tsx'
import { Modal } from './layers.tsx'

const confirmWidth = 416
const dialogWidth = 520

const focusableSelector = 'input:not(:disabled):not([type="checkbox"]), textarea:not(:disabled)'
/** One begins at the first field; antd would leave the focus on the × (its focus trap takes the first thing there is). */
const focusFirstField = (body: HTMLElement | null) => {
  const focused = document.activeElement
  if (isFocusLost() || focused === body || focused?.closest('.ant-modal-close'))
    body?.querySelector<HTMLElement>(focusableSelector)?.focus()
}

/**
 * What a dialog shows. Where what had the focus is replaced by something else (a list by a sentence, a button by a result), the focus stays in
 * the dialog: otherwise whoever uses the keyboard would go on behind it.
 */
function DialogBody(props: {
  holder: RefObject<HTMLDivElement | null>
  padded: boolean
  /** Something in the dialog was touched, also in what floats above it, a calendar for example. */
  onTouch?: () => void
  children: ReactNode
}) {
  const { holder: container, padded, onTouch, children } = props
  const hadFocus = useRef(false)
  // Also in what stands beside the content: × and the buttons below.
  useEffect(() => {
    const dialog = container.current?.closest('.ant-modal')
    const recordFocus = () => {
      hadFocus.current = true
    }
    dialog?.addEventListener('focusin', recordFocus)
    return () => dialog?.removeEventListener('focusin', recordFocus)
  }, [container])
  // After every drawing: only then is it known whether the focus went with what was taken away.
  useEffect(() => {
    if (hadFocus.current && isFocusLost()) container.current?.focus()
  })
  return (
    // The focus rests here when what had it was replaced; there is nothing to press.
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

/** Focus goes back to what opened the dialog, also where a page takes the dialog away instead of closing it. */
export function RestoreFocus() {
  const [opener] = useState(() => document.activeElement)
  // After the dialog is gone, and only when nothing else has taken the focus.
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
  /** Names the act, never 「确定」. Left out where there is nothing to confirm. */
  action?: string
  onConfirm?: () => void
  danger?: boolean
  busy?: boolean
  /** True, or why it cannot be confirmed yet. */
  allowed?: true | string
  /** It is done: this button alone stands in the place of cancel and confirm. */
  result?: { text: string; onPress: () => void }
  /** The content has buttons of its own. */
  hideFooter?: boolean
  maskCloses?: boolean
  width?: number
  children?: ReactNode
}

/** Title, close icon, content, cancel and confirm; a button for the result once it is done. Esc closes, focus returns. */
export function Dialog(props: DialogProps) {
  const { action, result } = props
  // A second press can come before `busy` has been drawn: one press a moment is meant, not two. A button that names another act is another one,
  // and so is a press after something was changed: whoever was refused mends a field and presses again, as quickly as he can.
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
 * Before something that reaches people or cannot be undone. The title asks, the text says what happens to how many, the button
 * names the act: `action="撤回 128 人"`, never 「确定」.
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
  /** Told what stands in the form as it is typed: for a dialog that keeps some of it after it is cancelled. */
  onValuesChange?: (values: V) => void
  /** False where the specification forbids closing by the mask. */
  maskCloses?: boolean
  width?: number
  children: ReactNode
}

/**
 * A modal with a form: its button stands in the footer and belongs to the form of that `id`, so that Enter submits as well. Esc closes, focus
 * begins at the first field and returns where it was.
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
      okButtonProps={{ htmlType: 'submit', form: props.id, disabled: props.idle ?? false }}
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

/** A form in a dialog (`ControlledForm`): what was typed stays when it is refused; `onSubmit` throws to keep the dialog open. */
export function FormDialog<V extends object>({ children, initial, onSubmit, onValuesChange, ...props }: FormDialogProps<V>) {
  const id = useId()
  const [busy, setBusy] = useState(false)
  return (
    <FormModal {...props} id={id} busy={busy}>
      <FormDialogBody<V> {...{ id, initial, onSubmit, onValuesChange: onValuesChange }} onDone={props.onClose} onBusy={setBusy}>
        {children}
      </FormDialogBody>
    </FormModal>
  )
}

/** Lives only while the dialog is open, so that every opening starts from its own record. */
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
