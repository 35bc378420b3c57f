/** The story page and a few parts of features alone in a browser: no routes, no server, no calls. */
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { Form } from 'antd'
import { type ComponentProps, lazy, Suspense, useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { ImportWithSheets } from '../../server/contract/directory/import.ts'
import { queryClient } from '../../src/api.ts'
import { DesktopTheme } from '../../src/app/theme/desktop-theme.tsx'
import { TextInput } from '../../src/components/form/fields.tsx'
import { lazyDialog } from '../../src/components/lazy.tsx'
import { Dialog, FormDialog } from '../../src/components/overlay/dialogs.tsx'
import { Drawer } from '../../src/components/overlay/layers.tsx'
import { registerLoadErrors } from '../../src/components/state/load-error.ts'
import { ImportResult } from '../../src/features/directory/import/result.tsx'
import { DepartmentDialog } from '../../src/features/directory/tree/department-dialogs.tsx'
import type { ConfirmedSendPlan } from '../../src/features/sheets/send/confirmed-plan.ts'
import { ConfirmSendDialog } from '../../src/features/sheets/send/send-plan.tsx'
import { Widgets } from '../../src/pages/dev/-widgets.tsx'
import '../../src/theme.css'

const busy = { rendered: 0 }
/** Rendering takes a while, so that a key is pressed before the result is shown. */
function draw(): void {
  const until = performance.now() + 8
  while (performance.now() < until);
  busy.rendered += 1
}
function Line() {
  draw()
  return <p />
}
const Late = lazy(async () => ({
  default: ({ onClose }: { onClose: () => void }) => (
    <Dialog open title="来得晚的对话框" onClose={onClose}>
      {Array.from({ length: 80 }, (_, at) => (
        <Line key={at} />
      ))}
    </Dialog>
  ),
}))

/** A dialog that opens over a drawer. */
function Over() {
  const [open, setOpen] = useState(false)
  const [isRequested, setRequested] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        抽屉
      </button>
      <Drawer open={open} title="下面的抽屉" onClose={() => setOpen(false)} destroyOnHidden>
        <button type="button" onClick={() => setRequested(true)}>
          选了对话框
        </button>
        <p>{isRequested ? '对话框要来' : '没有对话框'}</p>
        <Suspense fallback={null}>{isRequested && <Late onClose={() => setRequested(false)} />}</Suspense>
      </Drawer>
    </>
  )
}

/** A form that fails twice: at one of its fields, and at a field that it does not have. */
const refused = (field: string, text: string) => Object.assign(new Error(text), { field })
const sent: { name?: string | undefined }[] = []
function Requested() {
  const [open, setOpen] = useState(false)
  const submit = async (typed: { name?: string | undefined }) => {
    sent.push(typed)
    await new Promise((done) => setTimeout(done, 60))
    if (sent.length === 1) throw refused('name', '已有同名的')
    if (sent.length === 2) throw refused('other', '另一栏不对')
  }
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        填表
      </button>
      <FormDialog<{ name?: string }> open={open} title="表单" action="保存" onSubmit={submit} onClose={() => setOpen(false)}>
        <Form.Item name="name" label="名称">
          <TextInput />
        </Form.Item>
      </FormDialog>
    </>
  )
}
/** A dialog whose file the browser does not receive at first, and one whose content fails at first. */
registerLoadErrors()
const remaining = { lost: 1, broken: 1 }
function lose(): never {
  const payload = new TypeError('Failed to fetch dynamically imported module: /assets/dialog.js')
  dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload }))
  throw payload
}
const LostDialog = lazyDialog(async () => {
  if (remaining.lost > 0) {
    remaining.lost -= 1
    lose()
  }
  return ({ onClose }: { onClose: () => void }) => <Dialog open title="重试后打开的对话框" onClose={onClose} />
})
function BrokenContent() {
  if (remaining.broken > 0) throw new Error('cannot be rendered')
  return <p>内容好了</p>
}
function Failing() {
  const [open, setOpen] = useState<'lost' | 'broken' | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <button type="button" onClick={() => setOpen('lost')}>
        加载失败
      </button>
      <button type="button" onClick={() => setOpen('broken')}>
        内容出错
      </button>
      {open === 'lost' && <LostDialog onClose={close} />}
      <Drawer open={open === 'broken'} title="内容出错的抽屉" onClose={close} destroyOnHidden>
        <BrokenContent />
      </Drawer>
    </>
  )
}

/** The first send of a company, which lists everybody. */
const plan = {
  plan_id: 'plan',
  count: 20,
  by_channel: { platform: 0, sms: 20, email: 0, link: 0 },
  sms_needed: 20,
  sms_per_recipient: 1,
  unreachable: [],
  blocked: [],
  sms_insufficient: [],
  spot_checks: Array.from({ length: 20 }, (_, at) => ({
    row: at + 2,
    name: `员工${at + 1}`,
    departments: '生产部',
    mobile_masked: '138****0001',
    net_fen: 500_000 + at,
    reason: 'everybody',
  })),
  matched_by_name_count: 0,
  undo_seconds: 60,
  needs_approval: false,
  approval_reason: null,
} as unknown as ConfirmedSendPlan
function LongConfirmation() {
  const [open, setOpen] = useState(false)
  const ignore = () => undefined
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        确认发送
      </button>
      {open && (
        <ConfirmSendDialog
          batch_id="batch"
          plan={plan}
          title="十月工资"
          at={null}
          hint=""
          onSent={ignore}
          onRequested={ignore}
          onPostpone={ignore}
          onVoid={ignore}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

/** A roster import that supplied the phones of two members. */
const imported = {
  import_id: 'import',
  file_name: '花名册.xlsx',
  counts: { conflict: 0, fault: 0 },
  sheets: [],
  result: { created: 2, updated: 0, terminated: 0, skipped: 0, departments: 0 },
  undo_until: null,
} as unknown as ImportWithSheets
const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
function Imported() {
  const [batch_id, setBatch] = useState<string>()
  const ignore = () => undefined
  return (
    <>
      <button type="button" onClick={() => setBatch('01980000-0000-7000-8000-000000000001')}>
        从核对导入
      </button>
      {batch_id && <ImportResult info={imported} invited={false} onInvited={ignore} onAgain={ignore} batch_id={batch_id} />}
    </>
  )
}

/** A form whose call does not reach the server at first. */
const department = { ID: '01980000-0000-7000-8000-000000000002', NAME: '总部' } as ComponentProps<
  typeof DepartmentDialog
>['department']
function LostForm() {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        新建部门
      </button>
      {open && (
        <DepartmentDialog
          kind="new"
          department={department}
          tree={[]}
          departmentTree={{} as ComponentProps<typeof DepartmentDialog>['departmentTree']}
          onClose={close}
          onDeleted={close}
        />
      )}
    </>
  )
}
Object.assign(globalThis, { busy, sent, remaining, getAddress: () => router.history.location.href })

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <DesktopTheme>
      <Widgets />
      <Over />
      <Requested />
      <Failing />
      <QueryClientProvider client={queryClient}>
        <RouterContextProvider router={router}>
          <LongConfirmation />
          <Imported />
          <LostForm />
        </RouterContextProvider>
      </QueryClientProvider>
    </DesktopTheme>,
  )
