/** Written by `npm run tables` from the migrated database. Do not edit. */
import type { ColumnType } from "kysely";

export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;

export type Json = JsonValue;

export type JsonArray = JsonValue[];

export type JsonObject = {
  [x: string]: JsonValue | undefined;
};

export type JsonPrimitive = boolean | number | string | null;

export type JsonValue = JsonArray | JsonObject | JsonPrimitive;

export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export interface Account {
  avatar: Buffer | null;
  created_at: Generated<Timestamp>;
  detached_at: Timestamp | null;
  display_name: Generated<string>;
  epoch: Generated<number>;
  former_mobile: string | null;
  generation: Generated<number>;
  id: string;
  mobile: string | null;
  password_hash: string | null;
  phone_proven: Generated<boolean>;
  signed_in_at: Timestamp | null;
  totp: Buffer | null;
  totp_on: Timestamp | null;
  totp_step: Generated<number>;
  verified_at: Timestamp | null;
}

export interface Admin {
  account_id: string;
  agency_id: string | null;
  company_id: string;
  created_at: Generated<Timestamp>;
  dismissed_hints: Generated<string[]>;
  id: string;
  member_id: string;
  power: ("1" | "2" | "3" | "4")[];
  scope_all: Generated<boolean>;
  serves_until: string | null;
  trial_closed_at: Timestamp | null;
}

export interface AdminDepartment {
  admin_id: string;
  company_id: string;
  department_id: string;
  id: string;
}

export interface AgencyLink {
  company_id: string;
  created_at: Generated<Timestamp>;
  id: string;
  served_company_id: string | null;
  served_name: string;
}

export interface AgencyService {
  agency_id: string;
  agency_name: string;
  applied_at: Timestamp;
  company_id: string;
  decided_at: Timestamp | null;
  department_ids: Generated<string[]>;
  ended_at: Timestamp | null;
  id: string;
  scope_all: Generated<boolean>;
  status: "waiting" | "active" | "refused" | "ended";
  until: string | null;
}

export interface Announcement {
  by_name: string;
  id: string;
  kind: string;
  paragraphs: string[];
  published_at: Timestamp;
  summary: string;
  title: string;
  withdrawn_at: Timestamp | null;
}

export interface ApiKey {
  account_id: string;
  addresses: Generated<string[]>;
  company_id: string;
  created_at: Timestamp;
  created_by: string;
  expires_at: Timestamp;
  hash: Buffer;
  hint: string;
  id: string;
  last_used_at: Timestamp | null;
  name: string;
  refused_at: Timestamp | null;
  revoked_at: Timestamp | null;
  scopes: string[];
}

export interface Approval {
  account_id: string | null;
  admin_id: string | null;
  applicant_id: string;
  approval_no: string;
  company_id: string;
  created_at: Timestamp;
  decided_at: Timestamp | null;
  decided_by: string | null;
  id: string;
  kind: "wage_transfer" | "unbind" | "join_agency" | "send" | "phone";
  member_id: string | null;
  reason: Generated<Buffer>;
  status: Generated<0 | 1 | 2 | 3>;
}

export interface Attempt {
  at: Timestamp;
  count: Generated<number>;
  key: string;
}

export interface AuditLogAnchor {
  at: Timestamp;
  content: string;
  digest: Buffer;
  seq: number;
  token: Buffer | null;
}

export interface AuditLogEntry {
  account_id: string | null;
  address: Generated<string>;
  at: Timestamp;
  call: string;
  company_id: string;
  details: Generated<Json>;
  hash: Buffer | null;
  id: string;
  linked_at: Timestamp | null;
  name: Generated<string>;
  outcome: string;
  request_id: Generated<string>;
  seq: number | null;
  subject_id: Generated<string | null>;
}

export interface AuditLogHead {
  anchored_seq: Generated<number>;
  company_id: string;
  cut_hash: Generated<Buffer>;
  cut_mac: Generated<Buffer>;
  cut_seq: Generated<number>;
  has_more: boolean;
  hash: Buffer;
  linked_at: Timestamp;
  seq: number;
}

export interface Batch {
  accepted: Generated<string[]>;
  company_id: string;
  created_at: Generated<Timestamp>;
  file_hash: Buffer;
  file_id: string | null;
  file_name: Buffer;
  fingerprint: string;
  finished_at: Timestamp | null;
  id: string;
  layout: Buffer;
  layout_by: string | null;
  layout_version: Generated<number>;
  options_by: string | null;
  options_version: Generated<number>;
  owner_id: string;
  people: Generated<number>;
  recognition: Buffer;
  rules: Generated<Json>;
  scheduled_at: Timestamp | null;
  scope_all: Generated<boolean>;
  scope_ids: Generated<string[]>;
  send_options: Json | null;
  sent_at: Timestamp | null;
  sheet_layout: Buffer;
  status: Generated<"draft" | "checked" | "scheduled" | "sending" | "paused" | "sent" | "withdrawn">;
  stored_bytes: Generated<number>;
  template_id: string | null;
  title_id: string | null;
  totals: Buffer | null;
  undo_until: Timestamp | null;
  updated_at: Generated<Timestamp>;
  withdrawn_at: Timestamp | null;
  withdrawn_reason: Buffer | null;
}

export interface Binding {
  app_id: string | null;
  approval_no: string | null;
  bound_at: Timestamp;
  checked_at: Timestamp;
  company_id: string;
  corp_id: string;
  corp_name: Generated<string>;
  ended_at: Timestamp | null;
  id: string;
  issues: Generated<Json>;
  last_callback_at: Timestamp | null;
  mode: "self_built" | "store";
  provider: import("../contract/shared/providers.ts").ChatProvider;
  status: 0 | 10 | 20 | 30 | 40 | 50;
  visible: Json | null;
}

export interface BindingEvent {
  at: Timestamp;
  binding_id: string;
  by_name: Generated<string>;
  company_id: string;
  detail: Generated<Json>;
  id: string;
  kind: "bound" | "restored" | "rotated" | "unbind_applied" | "unbind_kept" | "unbound" | "stopped" | "resumed" | "synced" | "sync_held" | "sync_failed" | "combined" | "searched";
}

export interface BindingToken {
  app_id: string;
  browser_hash: Buffer;
  corp_id: string;
  expires_at: Timestamp;
  mobile: string | null;
  provider: string;
  token_hash: Buffer;
  used_at: Timestamp | null;
  user_id: string;
}

export interface Challenge {
  attempts: Generated<number>;
  browser_hash: Buffer | null;
  code_hash: Buffer;
  created_at: Timestamp;
  expires_at: Timestamp;
  id: string;
  mobile: string;
  pair: Generated<boolean>;
  purpose: string;
  sent_at: Timestamp | null;
  used_at: Timestamp | null;
}

export interface ChannelRate {
  channel: string;
  due_ms: Generated<number>;
  paused_until: Generated<Timestamp>;
  requested_until: Generated<Timestamp>;
  requester: Generated<string>;
}

export interface ChartExport {
  account_id: string;
  admin_id: string;
  batch_ids: Generated<string[]>;
  company_id: string;
  created_at: Timestamp;
  failed: string | null;
  file_id: string | null;
  id: string;
  power: string[];
  progress: Generated<number>;
  scope_all: boolean;
  scope_ids: string[];
  year: number;
}

export interface ChartFigures {
  batch_id: string;
  company_id: string;
  figures: Buffer;
  stamp: string;
}

export interface ChartGroups {
  company_id: string;
  groups: Buffer;
  month: string;
}

export interface ChatProvider {
  name: string;
}

export interface Company {
  corp_origin: Generated<number>;
  corp_role: Generated<10 | 20>;
  created_at: Generated<Timestamp>;
  edition: Generated<50 | 53 | 60>;
  edition_until: Timestamp | null;
  id: string;
  info: Buffer | null;
  info_revision: Generated<number>;
  join_generation: Generated<number>;
  key_destroyed_at: Timestamp | null;
  logo: Buffer | null;
  name: string;
  provider: import("../contract/shared/providers.ts").ChatProvider | null;
  setting: Generated<Json>;
  sms_left: Generated<number>;
  trial_until: Timestamp | null;
}

export interface CompanyKey {
  company_id: string;
  created_at: Generated<Timestamp>;
  id: number;
  usable_from: Generated<Timestamp>;
  wrapped: Buffer;
}

export interface CompanyMail {
  company_id: string;
  host: string;
  inbox_at: Timestamp | null;
  inbox_error: string | null;
  inbox_host: string | null;
  inbox_port: number | null;
  inbox_security: "tls" | "starttls" | "none" | null;
  inbox_uid: number | null;
  inbox_validity: string | null;
  mailed_at: Timestamp | null;
  password: Buffer;
  port: number;
  security: "tls" | "starttls" | "none";
  sender_address: string;
  sender_name: string;
  tested_at: Timestamp | null;
  updated_at: Timestamp;
  username: string;
}

export interface CorrectionApproval {
  approval_id: string;
  approved_at: Timestamp | null;
  batch_id: string;
  company_id: string;
  digest: Buffer;
  from_version: number;
  salary_id: string;
}

export interface Delivery {
  attempts: Generated<number>;
  batch_id: string;
  card_attempts: Generated<number>;
  card_due: Timestamp | null;
  card_failure: "too_late" | "unsupported" | "refused" | "unclear" | "unbound" | null;
  card_requested: "viewed" | "confirmed" | "withdrawn" | null;
  card_state: "viewed" | "confirmed" | "withdrawn" | "recalled" | "gone" | null;
  channel: "platform" | "sms" | "email" | "link";
  code: string | null;
  company_id: string;
  created_at: Generated<Timestamp>;
  delivered_at: Timestamp | null;
  done_at: Timestamp | null;
  due_at: Timestamp;
  id: string;
  lease_by: string | null;
  lease_until: Timestamp | null;
  message: string | null;
  provider_ref: string | null;
  purpose: string;
  salary_id: string;
  segments: Generated<number>;
  status: Generated<"queued" | "leased" | "accepted" | "failed" | "unknown" | "cancelled">;
  version: number;
}

export interface Department {
  company_id: string;
  id: string;
  leader_id: string | null;
  name: string;
  parent_id: string | null;
  position: Generated<number>;
  source: Generated<string>;
}

export interface Device {
  account_id: string;
  created_at: Timestamp;
  id: string;
  last_active_at: Timestamp;
  secret_hash: Buffer;
}

export interface DownloadTicket {
  account_id: string;
  company_id: string;
  expires_at: Timestamp;
  file_id: string;
  session_id: string;
  token_hash: Buffer;
}

export interface ExportJob {
  account_id: string;
  batch_id: string | null;
  batch_ids: string[] | null;
  company_id: string;
  created_at: Generated<Timestamp>;
  failed: string | null;
  file_id: string | null;
  id: string;
  member_ids: string[] | null;
  month_from: string | null;
  month_to: string | null;
  note: string | null;
  paper: Json | null;
  progress: Generated<number>;
  salary_id: string | null;
  scope_all: Generated<boolean>;
  scope_ids: Generated<string[]>;
  what: string;
}

export interface ExternalReference {
  batch_id: string | null;
  company_id: string;
  created_at: Timestamp;
  department_id: string | null;
  external_id: string;
  id: string;
  member_id: string | null;
}

export interface Feedback {
  answered_at: Timestamp | null;
  batch_id: string;
  company_id: string;
  due_at: Timestamp | null;
  id: string;
  line: Generated<string>;
  line_label: Buffer | null;
  member_id: string;
  owner_id: string | null;
  read_at: Timestamp | null;
  salary_id: string;
  status: Generated<"open" | "answered" | "resolved">;
  updated_at: Timestamp;
}

export interface FeedbackMessage {
  at: Timestamp;
  company_id: string;
  content: Buffer;
  feedback_id: string;
  from_side: "employee" | "admin";
  id: string;
  name: string;
}

export interface FeedbackPicture {
  company_id: string;
  feedback_id: string;
  id: string;
  message_id: string;
  picture: Buffer;
}

export interface File {
  account_id: string;
  company_id: string;
  created_at: Generated<Timestamp>;
  expires_at: Timestamp | null;
  id: string;
  kind: string;
  name: Buffer;
  sha256: Buffer;
  size: number;
  subject_id: string | null;
}

export interface FileChunk {
  company_id: string;
  file_id: string;
  id: string;
  position: number;
  sealed: Buffer;
}

export interface GrantToken {
  account_id: string | null;
  browser_hash: Buffer | null;
  company_id: string | null;
  epoch: number | null;
  expires_at: Timestamp;
  mobile: string;
  purpose: string;
  token_hash: Buffer;
  used_at: Timestamp | null;
}

export interface IdempotencyKey {
  account_id: string;
  body_hash: Buffer;
  call: string;
  company_id: string;
  created_at: Generated<Timestamp>;
  id: string;
  key: string;
  response: Buffer | null;
}

export interface InstallationKey {
  id: Generated<number>;
  wrapped: Buffer;
}

export interface InsuranceScheme {
  by_name: string;
  changed_at: Timestamp;
  city: string;
  company_id: string;
  document: string;
  id: string;
  items: Json;
  replaced_by: string | null;
  used_through: string | null;
  valid_from: string;
  valid_to: string | null;
  version: number;
}

export interface Invite {
  channel: "sms" | "platform";
  code: Buffer | null;
  code_hash: Buffer;
  company_id: string;
  created_at: Timestamp;
  expires_at: Timestamp;
  id: string;
  member_id: string;
  mobile: string;
  opened_at: Timestamp | null;
  used_at: Timestamp | null;
}

export interface Invoice {
  amount_fen: number;
  company_id: string;
  created_at: Timestamp;
  email: string;
  id: string;
  issued_at: Timestamp | null;
  kind: "normal" | "special";
  number: Generated<string>;
  reason: Generated<string>;
  red_number: Generated<string>;
  settled_at: Timestamp | null;
  status: "waiting" | "issued" | "returned" | "reversing" | "reversed";
  tax_no: string;
  title: string;
}

export interface InvoiceFile {
  company_id: string;
  created_at: Timestamp;
  id: string;
  invoice_id: string;
  is_reversal: boolean;
  name: string;
  sealed: Buffer;
}

export interface InvoiceOrder {
  company_id: string;
  id: string;
  invoice_id: string;
  is_active: Generated<boolean>;
  order_id: string;
}

export interface JoinRequest {
  company_id: string;
  created_at: Timestamp;
  id: string;
  mobile: string;
  name: string;
}

export interface KeyDestruction {
  aborted_at: Timestamp | null;
  company_id: string;
  company_name: string;
  destroyed_at: Timestamp | null;
  due_at: Timestamp;
  id: string;
  reason: string;
  requested_at: Timestamp;
}

export interface LoginState {
  expires_at: Timestamp;
  state_hash: Buffer;
}

export interface MasterKeyCheck {
  id: Generated<number>;
  previous_sealed: Buffer | null;
  sealed: Buffer;
}

export interface Member {
  account_id: string | null;
  bank_account_index: Buffer | null;
  company_id: string;
  created_at: Generated<Timestamp>;
  email: Generated<string>;
  employee_no: Generated<string>;
  entry_on: string | null;
  former_account: string | null;
  former_mobile: string | null;
  id: string;
  id_card_index: Buffer | null;
  left_at: Timestamp | null;
  left_on: string | null;
  mobile: string;
  name: string;
  name_pinyin: string | null;
  pay_hide: Generated<boolean>;
  platform_user_id: string | null;
  position: Generated<string>;
  private: Buffer | null;
  source: Generated<string>;
  status: Generated<"invited" | "active" | "left">;
  unconfirmed_at: Timestamp | null;
  unconfirmed_by: string | null;
}

export interface MemberDeduction {
  changed_at: Timestamp;
  company_id: string;
  details: Buffer;
  member_id: string;
  version: number;
}

export interface MemberDepartment {
  company_id: string;
  department_id: string;
  member_id: string;
}

export interface MemberEvent {
  account_id: string | null;
  at: Timestamp;
  by_name: string;
  company_id: string;
  detail: Buffer | null;
  id: string;
  kind: "changed" | "left" | "looked" | "looked_tax" | "undone";
  member_id: string;
}

export interface MemberImport {
  account_id: string;
  answers: Buffer | null;
  applied_at: Timestamp | null;
  company_id: string;
  created_at: Timestamp;
  done: Generated<number>;
  file_id: string | null;
  id: string;
  info: Buffer | null;
  leased_until: Timestamp | null;
  named: Buffer;
  plan: Buffer | null;
  read: Buffer | null;
  result: Json | null;
  sheets: Buffer | null;
  stage: "waiting" | "reading" | "planned" | "applying" | "done" | "undone";
  summary: string | null;
  total: Generated<number>;
  undo: Buffer | null;
}

export interface MemberInsurance {
  changed_at: Timestamp;
  company_id: string;
  details: Buffer;
  member_id: string;
  version: number;
}

export interface Message {
  attempts: Generated<number>;
  channel: "platform" | "sms" | "email";
  code: string | null;
  company_id: string;
  created_at: Timestamp;
  done_at: Timestamp | null;
  due_at: Timestamp;
  expires_at: Timestamp | null;
  id: string;
  kind: string;
  lease_by: string | null;
  lease_until: Timestamp | null;
  letter: Buffer | null;
  message: string | null;
  provider_ref: string | null;
  purpose: string;
  segments: Generated<number>;
  status: Generated<"queued" | "leased" | "accepted" | "failed" | "unknown" | "cancelled">;
  subject_id: string;
}

export interface Notification {
  admin_id: string;
  batch_id: string | null;
  company_id: string;
  created_at: Generated<Timestamp>;
  id: string;
  kind: "failed" | "sent" | "feedback" | "unviewed" | "approval" | "join" | "phone" | "role" | "security" | "service";
  notified_at: Timestamp | null;
  read_at: Timestamp | null;
  text: Buffer;
  viewed_at: Timestamp | null;
}

export interface NotificationChannel {
  admin_id: string;
  chat: boolean;
  company_id: string;
  kind: "failed" | "sent" | "feedback" | "unviewed" | "approval" | "join" | "phone" | "role" | "security" | "service";
  mail: boolean;
}

export interface Operator {
  created_at: Timestamp;
  ended_at: Timestamp | null;
  id: string;
  made_with: Buffer;
  name: string;
  password_hash: string;
  ready_at: Timestamp | null;
  totp: Buffer;
  totp_step: Generated<number>;
}

export interface OperatorInvite {
  by_id: string;
  created_at: Timestamp;
  expires_at: Timestamp;
  id: string;
  key_hash: Buffer;
}

export interface OperatorLogEntry {
  address: string;
  at: Timestamp;
  call: string;
  details: Json;
  id: string;
  name: string;
  operator_id: string | null;
  outcome: string;
  request_id: string;
}

export interface OperatorSession {
  address: string | null;
  browser_hash: Buffer | null;
  cookie_hash: Buffer;
  created_at: Timestamp;
  ended_at: Timestamp | null;
  id: string;
  last_active_at: Timestamp;
  operator_id: string;
  token_hash: Buffer;
}

export interface OrderLookup {
  company_id: string;
  order_no: string;
}

export interface Outbox {
  at: Generated<Timestamp>;
  channel: string;
  delivery_id: string | null;
  id: string;
  link: Generated<string>;
  mobile: Generated<string>;
  name: Generated<string>;
  text: string;
}

export interface Payment {
  amount_fen: number;
  company_id: string;
  id: string;
  order_id: string;
  paid_at: Timestamp;
  provider: "alipay" | "wechat" | "transfer";
  refunded_at: Timestamp | null;
  state: "credited" | "excess" | "refunded";
  transaction_id: string;
}

export interface PaymentStatement {
  compared_at: Timestamp;
  day: string;
  differences: Json;
  discrepancy_count: number;
  paid_count: number;
  paid_fen: number;
  provider: "alipay" | "wechat";
  refunded_count: number;
  refunded_fen: number;
}

export interface PayOrder {
  account_id: string;
  amount_fen: number;
  by_name: string;
  change_from: string | null;
  change_until: Timestamp | null;
  closed_at: Timestamp | null;
  code_url: string | null;
  company_id: string;
  count: number;
  created_at: Timestamp;
  expires_at: Timestamp;
  id: string;
  order_no: string;
  paid_at: Timestamp | null;
  pay_type: "alipay" | "wechat" | "transfer";
  product_id: string;
  product_name: string;
  refunded_at: Timestamp | null;
  refunded_fen: Generated<number>;
  status: "waiting" | "paid" | "closed" | "refunded";
}

export interface Payslip {
  answer_due: Timestamp | null;
  batch_id: string;
  cells: Buffer;
  channel: "platform" | "sms" | "email" | "link";
  company_id: string;
  confirmed_at: Timestamp | null;
  confirmed_auto: Generated<boolean>;
  confirmed_hash: Buffer | null;
  confirmed_version: number | null;
  corrected_at: Timestamp | null;
  has_feedback: Generated<boolean>;
  id: string;
  identity: Json | null;
  member_id: string;
  past: Generated<Json>;
  row_no: number;
  sent_at: Timestamp | null;
  signature: Buffer | null;
  status: Generated<"waiting" | "queued" | "sent" | "viewed" | "confirmed" | "failed" | "withdrawn">;
  version: Generated<number>;
  viewed_at: Timestamp | null;
  withdrawn_at: Timestamp | null;
  withdrawn_reason: Buffer | null;
}

export interface PayslipChange {
  at: Timestamp;
  batch_id: string;
  by_admin: string | null;
  by_name: string;
  change: Buffer;
  column_key: string;
  column_label: Buffer;
  company_id: string;
  id: string;
  reason: Buffer;
  salary_id: string;
  version: number;
}

export interface PlatformApp {
  agent_id: Generated<string>;
  app_id: string;
  callback_key: Buffer | null;
  callback_token: Buffer | null;
  company_id: string;
  corp_id: string;
  created_at: Timestamp;
  id: string;
  mode: Generated<"self_built" | "store">;
  proved_at: Timestamp | null;
  provider: import("../contract/shared/providers.ts").ChatProvider;
  secret: Buffer;
}

export interface PlatformDepartment {
  company_id: string;
  corp_id: string;
  department_id: string | null;
  id: string;
  key: string;
  leader_keys: Generated<string[]>;
  name: Generated<string>;
  parent_key: string | null;
  position: Generated<number>;
  provider: string;
  removed_at: Timestamp | null;
  sort: number | null;
  sort_at: Timestamp | null;
}

export interface PlatformEvent {
  app_id: string;
  company_id: string;
  done_at: Timestamp | null;
  id: string;
  key: string;
  news: Json;
  plain: Buffer;
  received_at: Timestamp;
  sync_id: string | null;
}

export interface PlatformIdentity {
  account_id: string;
  corp_id: string;
  created_at: Timestamp;
  provider: string;
  user_id: string;
}

export interface PlatformInstall {
  agent_id: Generated<string>;
  claimed_by: string | null;
  corp_id: string;
  corp_name: Generated<string>;
  installers: Generated<string[]>;
  provider: import("../contract/shared/providers.ts").ChatProvider;
  received_at: Timestamp;
  secret: Buffer | null;
  suite_id: string;
}

export interface PlatformInstallEvent {
  key: string;
  provider: string;
  received_at: Timestamp;
  suite_id: string;
}

export interface PlatformInstallRequest {
  account_id: string;
  company_id: string;
  expires_at: Timestamp;
  kind: "install" | "claim" | "prove";
  options: Buffer | null;
  provider: import("../contract/shared/providers.ts").ChatProvider;
  state_hash: Buffer;
}

export interface PlatformSuite {
  provider: import("../contract/shared/providers.ts").ChatProvider;
  pushed_at: Timestamp;
  suite_id: string;
  ticket: Buffer;
}

export interface PlatformSync {
  binding_id: string;
  by_name: Generated<string>;
  calls: Generated<number>;
  company_id: string;
  counts: Generated<Json>;
  cursor: Json;
  departments: Generated<number>;
  ended_at: Timestamp | null;
  error: Json | null;
  id: string;
  mode: "full" | "incremental";
  pause_reason: "first" | "many_left" | null;
  people: Generated<number>;
  revision: Generated<number>;
  started_at: Timestamp;
  state: "reading" | "held" | "applying" | "done" | "failed" | "dropped";
}

export interface PlatformSyncItem {
  change: "new" | "changed" | "left" | "back" | "same" | null;
  company_id: string;
  details: Json;
  fields: Generated<string[]>;
  key: string;
  kind: "department" | "person";
  memberships: Generated<string[]>;
  sync_id: string;
}

export interface PlatformToken {
  asking: string | null;
  key: string;
  requested_until: Generated<Timestamp>;
  sealed: Buffer | null;
}

export interface PlatformUser {
  candidates: Generated<string[]>;
  company_id: string;
  corp_id: string;
  details: Json;
  employee_no: Generated<string>;
  id: string;
  linked_by: "proved" | "chosen" | "matched" | null;
  match_reason: "number" | "phone" | "two" | "duplicate" | "department" | "name" | "search" | "claimed" | null;
  match_status: Generated<"same" | "conflict" | "suggested" | "new" | "ignored">;
  member_id: string | null;
  mobile: Generated<string>;
  name: Generated<string>;
  provider: string;
  removed_at: Timestamp | null;
  user_id: string;
}

export interface PrepaidEntry {
  amount: number;
  company_id: string;
  id: string;
  move_id: string;
  side: "stock" | "used" | "seller" | "gift";
}

export interface PrepaidMovement {
  account_id: string | null;
  batch_id: string | null;
  by_name: Generated<string>;
  company_id: string;
  count: number;
  created_at: Timestamp;
  id: string;
  kind: "opening" | "given" | "bought" | "used" | "unused" | "returned";
  order_no: string | null;
  purpose: Generated<string>;
  reason: string;
  ref: string;
  resource: string;
}

export interface Price {
  by_name: string;
  from_at: Timestamp;
  id: string;
  price_fen: number;
  product_id: string;
}

export interface PrivacyNotice {
  account_id: string;
  company_id: string;
  displayed_at: Timestamp;
  read_at: Timestamp | null;
}

export interface Receipt {
  company_id: string;
  id: string;
  made_at: Timestamp;
  proof: Buffer;
  salary_id: string;
  version: number;
}

export interface ReceiptKey {
  company_id: string;
  kid: string;
  number: number;
  private_key: Buffer | null;
  public_key: Buffer;
  signature: Buffer;
  since: Timestamp;
}

export interface RecoveryCode {
  account_id: string;
  code_hash: Buffer;
  used_at: Timestamp | null;
}

export interface Refund {
  amount_fen: number;
  by_name: string;
  company_id: string;
  done_at: Timestamp | null;
  id: string;
  order_id: string;
  payment_id: string;
  quantity: number;
  reason: string;
  reference: string;
  requested_at: Timestamp;
}

export interface RemovedDepartment {
  company_id: string;
  id: string;
  merged_into_id: string;
  removed_at: Timestamp;
}

export interface ReportLookup {
  at: Timestamp;
  company_id: string;
  message_id: string;
  ref: string;
}

export interface RestoredJob {
  data: Json;
  id: string;
  name: string;
  start_after: Timestamp;
}

export interface RetentionRule {
  audit_log_months: number | null;
  company_id: string;
  export_file_months: number | null;
  hold_reason: Generated<string>;
  legal_hold: Generated<boolean>;
  payslip_months: number | null;
  revision: Generated<number>;
  sheet_file_months: number | null;
  sign_in_log_months: number | null;
  terminated_member_months: number | null;
}

export interface RetentionRun {
  at: Timestamp;
  before: Timestamp;
  company_id: string;
  count: number;
  id: string;
  kind: "audit_log" | "sign_in_log" | "sheet_file" | "export_file" | "payslip" | "terminated_member";
  months: number;
}

export interface RosterMapping {
  company_id: string;
  fingerprint: string;
  id: string;
  roles: Json;
  used_at: Timestamp;
}

export interface SendingPause {
  confirmed_at: Timestamp | null;
  id: number;
  restored_at: Timestamp;
}

export interface SendPlan {
  approval_id: string | null;
  batch_id: string;
  by_channel: Json;
  channels: string[];
  company_id: string;
  created_at: Generated<Timestamp>;
  created_by: string;
  digest: Buffer | null;
  id: string;
  scheduled_at: Timestamp | null;
  sms_needed: Generated<number>;
  spot_checked_at: Timestamp | null;
  spot_checked_by: string | null;
  spot_checks: Generated<Json>;
  started_at: Timestamp | null;
  status: Generated<"planned" | "started" | "void">;
  totals: Buffer | null;
}

export interface Session {
  account_id: string;
  address: Generated<string>;
  agency_id: string | null;
  company_id: string | null;
  cookie_hash: Buffer;
  created_at: Timestamp;
  device: Generated<string>;
  ended: string | null;
  epoch: number;
  expires_at: Timestamp;
  id: string;
  idle_s: Generated<number>;
  last_active_at: Timestamp;
  sole: Generated<boolean>;
  token_hash: Buffer;
  verified_at: Timestamp | null;
  view_until: Timestamp | null;
}

export interface SheetCheck {
  admin_id: string;
  batch_id: string;
  company_id: string;
  created_at: Timestamp;
  ground: string;
  id: string;
  part: number;
  sealed: Buffer;
}

export interface SheetEdit {
  admin_id: string | null;
  at: Timestamp;
  batch_id: string;
  changed: Buffer;
  company_id: string;
  id: string;
  is_undoable: Generated<boolean>;
  kind: "edit" | "swap";
  position: Generated<number>;
  undone_at: Timestamp | null;
}

export interface SheetNames {
  by_columns: string;
  company_id: string;
  id: string;
  sealed: Buffer;
}

export interface SheetPage {
  batch_id: string;
  company_id: string;
  id: string;
  numbers: number[];
  sealed: Buffer;
}

export interface SheetRow {
  accepted: Generated<string[]>;
  batch_id: string;
  cells: Buffer | null;
  company_id: string;
  edited: Generated<string[]>;
  id: string;
  main_row_no: number | null;
  member_id: string | null;
  row_no: number;
  skipped: Generated<boolean>;
}

export interface SignInLogEntry {
  account_id: string | null;
  address: Generated<string>;
  at: Timestamp;
  call: string;
  company_id: string | null;
  details: Generated<Json>;
  device: Generated<string>;
  id: string;
  outcome: string;
  phone_mac: Buffer | null;
  request_id: Generated<string>;
}

export interface Suggestion {
  account_id: string;
  company_id: string;
  contact_name: string;
  contact_tel: string;
  content: string;
  created_at: Timestamp;
  id: string;
  type: string;
}

export interface TaxIncome {
  company_id: string;
  id: string;
  income: Buffer;
  member_id: string;
  period_id: string;
  result: Buffer | null;
  run_id: string | null;
}

export interface TaxPeriod {
  based_on: Generated<Json>;
  company_id: string;
  computed_at: Timestamp | null;
  created_at: Timestamp;
  id: string;
  locked_at: Timestamp | null;
  locked_by: string | null;
  locks: Generated<number>;
  month: string;
  run_id: string | null;
  sources: Generated<Json>;
  status: "draft" | "computing" | "stopped" | "computed" | "locked";
  totals: Buffer | null;
}

export interface TaxPeriodEvent {
  account_id: string | null;
  at: Timestamp;
  by_name: string;
  company_id: string;
  id: string;
  kind: "created" | "locked" | "reopened";
  period_id: string;
  reason: Buffer | null;
}

export interface TaxYear {
  company_id: string;
  details: Buffer;
  id: string;
  member_id: string;
  year: number;
}

export interface Template {
  column_mapping: Buffer;
  company_id: string;
  created_at: Timestamp;
  fingerprint: string;
  id: string;
  layout: Buffer;
  name: Buffer | null;
  name_index: Buffer | null;
  owner_id: string;
  title_id: string | null;
  used_at: Timestamp;
}

export interface TestSend {
  account_id: string;
  batch_id: string;
  by_name: string;
  channels: string[];
  company_id: string;
  created_at: Timestamp;
  expires_at: Timestamp;
  id: string;
  member_id: string | null;
  message_ids: string[];
  opened_at: Timestamp | null;
  payslip: Buffer;
  requested_by: string;
  row_no: number | null;
}

export interface Title {
  company_id: string;
  created_at: Generated<Timestamp>;
  id: string;
  kind: Generated<"monthly" | "bonus" | "other">;
  month: string;
  name: Buffer;
  name_index: Buffer | null;
  owner_id: string;
}

export interface TitleShare {
  admin_id: string;
  company_id: string;
  id: string;
  rights: "view" | "manage";
  title_id: string;
}

export interface UploadProgress {
  account_id: string;
  batch_id: string | null;
  company_id: string;
  done: Generated<number>;
  file_id: string | null;
  id: string;
  leased_until: Timestamp | null;
  named: Buffer;
  stage: "waiting" | "reading" | "keeping" | "done" | "refused";
  total: Generated<number>;
  updated_at: Timestamp;
}

export interface Webhook {
  company_id: string;
  created_at: Timestamp;
  events: string[];
  failing_since: Timestamp | null;
  former_secret: Buffer | null;
  former_until: Timestamp | null;
  id: string;
  leased_until: Timestamp | null;
  secret: Buffer;
  status: Generated<"active" | "paused" | "gone">;
  url: Buffer;
}

export interface WebhookEvent {
  at: Timestamp;
  attempts: Generated<number>;
  batch_id: string | null;
  company_id: string;
  done_at: Timestamp | null;
  due_at: Timestamp;
  event: string;
  feedback_id: string | null;
  id: string;
  lease_until: Timestamp | null;
  member_id: string | null;
  response: string | null;
  salary_id: string | null;
  status: Generated<"waiting" | "leased" | "taken" | "failed">;
  webhook_id: string;
}

export interface Wizard {
  admin_id: string;
  batch_id: string;
  company_id: string;
  id: string;
  saved_at: Timestamp;
  step: string;
}

export interface Tables {
  account: Account;
  admin: Admin;
  admin_department: AdminDepartment;
  agency_link: AgencyLink;
  agency_service: AgencyService;
  announcement: Announcement;
  api_key: ApiKey;
  approval: Approval;
  attempt: Attempt;
  audit_log_anchor: AuditLogAnchor;
  audit_log_entry: AuditLogEntry;
  audit_log_head: AuditLogHead;
  batch: Batch;
  binding: Binding;
  binding_event: BindingEvent;
  binding_token: BindingToken;
  challenge: Challenge;
  channel_rate: ChannelRate;
  chart_export: ChartExport;
  chart_figures: ChartFigures;
  chart_groups: ChartGroups;
  chat_provider: ChatProvider;
  company: Company;
  company_key: CompanyKey;
  company_mail: CompanyMail;
  correction_approval: CorrectionApproval;
  delivery: Delivery;
  department: Department;
  device: Device;
  download_ticket: DownloadTicket;
  export_job: ExportJob;
  external_reference: ExternalReference;
  feedback: Feedback;
  feedback_message: FeedbackMessage;
  feedback_picture: FeedbackPicture;
  file: File;
  file_chunk: FileChunk;
  grant_token: GrantToken;
  idempotency_key: IdempotencyKey;
  installation_key: InstallationKey;
  insurance_scheme: InsuranceScheme;
  invite: Invite;
  invoice: Invoice;
  invoice_file: InvoiceFile;
  invoice_order: InvoiceOrder;
  join_request: JoinRequest;
  key_destruction: KeyDestruction;
  login_state: LoginState;
  master_key_check: MasterKeyCheck;
  member: Member;
  member_deduction: MemberDeduction;
  member_department: MemberDepartment;
  member_event: MemberEvent;
  member_import: MemberImport;
  member_insurance: MemberInsurance;
  message: Message;
  notification: Notification;
  notification_channel: NotificationChannel;
  operator: Operator;
  operator_invite: OperatorInvite;
  operator_log_entry: OperatorLogEntry;
  operator_session: OperatorSession;
  order_lookup: OrderLookup;
  outbox: Outbox;
  pay_order: PayOrder;
  payment: Payment;
  payment_statement: PaymentStatement;
  payslip: Payslip;
  payslip_change: PayslipChange;
  platform_app: PlatformApp;
  platform_department: PlatformDepartment;
  platform_event: PlatformEvent;
  platform_identity: PlatformIdentity;
  platform_install: PlatformInstall;
  platform_install_event: PlatformInstallEvent;
  platform_install_request: PlatformInstallRequest;
  platform_suite: PlatformSuite;
  platform_sync: PlatformSync;
  platform_sync_item: PlatformSyncItem;
  platform_token: PlatformToken;
  platform_user: PlatformUser;
  prepaid_entry: PrepaidEntry;
  prepaid_movement: PrepaidMovement;
  price: Price;
  privacy_notice: PrivacyNotice;
  receipt: Receipt;
  receipt_key: ReceiptKey;
  recovery_code: RecoveryCode;
  refund: Refund;
  removed_department: RemovedDepartment;
  report_lookup: ReportLookup;
  restored_job: RestoredJob;
  retention_rule: RetentionRule;
  retention_run: RetentionRun;
  roster_mapping: RosterMapping;
  send_plan: SendPlan;
  sending_pause: SendingPause;
  session: Session;
  sheet_check: SheetCheck;
  sheet_edit: SheetEdit;
  sheet_names: SheetNames;
  sheet_page: SheetPage;
  sheet_row: SheetRow;
  sign_in_log_entry: SignInLogEntry;
  suggestion: Suggestion;
  tax_income: TaxIncome;
  tax_period: TaxPeriod;
  tax_period_event: TaxPeriodEvent;
  tax_year: TaxYear;
  template: Template;
  test_send: TestSend;
  title: Title;
  title_share: TitleShare;
  upload_progress: UploadProgress;
  webhook: Webhook;
  webhook_event: WebhookEvent;
  wizard: Wizard;
}
