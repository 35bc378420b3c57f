-- Owner: slip. What is to stand on a card in somebody's chat once more is known than when it was sent; null: nothing waits to be written.
alter table delivery
  add column card_wanted text check (card_wanted in ('viewed', 'confirmed', 'withdrawn')),
  add column card_due timestamptz,
  add column card_tries smallint not null default 0,
  -- What stands on it; recalled, gone: the person does not see it any more.
  add column card_shows text check (card_shows in ('viewed', 'confirmed', 'withdrawn', 'recalled', 'gone')),
  -- Why it could not be written.
  add column card_missed text check (card_missed in ('too_late', 'unsupported', 'refused', 'unclear', 'unbound'));
create index delivery_card on delivery (company_id, card_due) where card_wanted is not null;
