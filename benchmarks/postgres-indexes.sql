-- Lists by one or two fields, in creation order or by another field.
create index on tasks (created_at, id);
create index on tasks (status, created_at, id);
create index on tasks (project_id, created_at, id);
create index on tasks (project_id, status, created_at, id);
create index on tasks (user_id, created_at, id);
create index on tasks (priority, created_at, id);
create index on tasks (status, due_date, created_at, id);
create index on tasks (updated_at, created_at, id);
create index on tasks (name, created_at, id);
create index on tasks using gin (tag_ids);

create index on tasks (estimate, created_at, id);
-- The search for beginnings of words.
create index on tasks using gin (to_tsvector('simple', name || ' ' || description));

-- Screens. Open tasks of a user by due date, and the number of open tasks of each user.
create index on tasks (user_id, due_date) where status not in ('completed', 'archived');
-- The board of a project.
create index on tasks (project_id, status, priority desc, due_date nulls first, created_at, id);
-- Open tasks of a project without a user, by due date.
create index on tasks (project_id, due_date nulls first, created_at, id)
  where user_id is null and status not in ('completed', 'archived');
-- Open tasks of several projects that are due in a week.
create index on tasks (project_id, due_date) where status not in ('completed', 'archived');
-- Open tasks without a due date, by priority and name.
create index on tasks (priority desc, name, created_at desc, id desc)
  where due_date is null and status not in ('completed', 'archived');
-- Projects by due date.
create index on projects (due_date nulls first, created_at, id);
create index on projects (status, due_date nulls first, created_at, id);

-- The search for a part of a name. The extension is a package of its own in some distributions.
do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_trgm') then
    create extension pg_trgm;
    create index on tasks using gin (name gin_trgm_ops);
  end if;
end
$$;
