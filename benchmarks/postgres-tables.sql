create table organizations (id uuid primary key, name text not null, status text not null, description text not null,
  created_at timestamptz not null, updated_at timestamptz not null);

create table projects (id uuid primary key, name text not null, status text not null, organization_id uuid not null,
  description text not null, start_date date, due_date date, visibility smallint, member_ids uuid[],
  created_at timestamptz not null, updated_at timestamptz not null);

create table users (id uuid primary key, name text not null, status text not null, email text, organization_id uuid,
  subject text, created_at timestamptz not null, updated_at timestamptz not null);

create table tags (id uuid primary key, name text not null, status text not null, color text not null,
  description text not null, organization_id uuid, created_at timestamptz not null, updated_at timestamptz not null);

-- The priority is its rank, and so is the visibility of a project.
create table tasks (id uuid primary key, name text not null, status text not null, description text not null,
  priority smallint not null, project_id uuid, user_id uuid, due_date date, tag_ids uuid[] not null,
  position text, parent_id uuid, estimate numeric, number bigint, created_at timestamptz not null,
  updated_at timestamptz not null);
